// What LMDB's errors mean to us. Its own codes are negative, the operating system's positive.

import { constants } from 'node:os';
import type { ErrorCode } from '@tidemark/model';
import { DatabaseError } from '@tidemark/model';

/** `isFull`: there is hardly room on the disk, which LMDB may have seen as EIO. */
export function lmdbErrorOf(error: unknown, what: string, isFull = false): DatabaseError {
  const code = codeOf(error, isFull);
  const said = error instanceof Error ? error.message : String(error);
  const reason = code === 'disk-full' ? 'there is no room left on the disk' : said;
  return new DatabaseError(code, `${what}: ${reason}.`, { cause: error });
}

function codeOf(error: unknown, isFull: boolean): ErrorCode {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (isFull && code === constants.errno.EIO) return 'disk-full';
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
