// What LMDB's errors mean to us. Its own codes are negative, the operating system's positive.

import { constants } from 'node:os';
import type { ErrorCode } from '@tidemark/model';
import { DatabaseError } from '@tidemark/model';

export function lmdbErrorOf(error: unknown, what: string): DatabaseError {
  const reason = error instanceof Error ? error.message : String(error);
  return new DatabaseError(codeOf(error), `${what}: ${reason}.`, { cause: error });
}

function codeOf(error: unknown): ErrorCode {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return codes.get(code) ?? 'unavailable';
}

const codes: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  [constants.errno.ENOSPC, 'disk-full'],
  [constants.errno.EDQUOT, 'disk-full'],
  ['ENOSPC', 'disk-full'],
  ['EDQUOT', 'disk-full'],
  [-30_792, 'disk-full'], // MDB_MAP_FULL
  [-30_797, 'corrupt'], // MDB_PAGE_NOTFOUND
  [-30_796, 'corrupt'], // MDB_CORRUPTED
  [-30_793, 'corrupt'], // MDB_INVALID
  [-30_794, 'corrupt'], // MDB_VERSION_MISMATCH
  [-30_784, 'corrupt'], // MDB_INCOMPATIBLE
  [-30_778, 'corrupt'], // MDB_BAD_CHECKSUM
]);
