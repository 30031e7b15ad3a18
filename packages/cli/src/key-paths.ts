// The paths of a partition key as they stand on a command line: `/customer`, or `/tenant,/user` for a hierarchical one.

import type { PartitionKeyDefinition } from '@tidemark/model';
import { validatePartitionKeyDefinition } from '@tidemark/model';
import { quoted } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export function readKeyPaths(text: string): string[] {
  const paths = text.split(',');
  if (paths.every((path) => path.startsWith('/'))) return paths;
  const meant = paths.map((path) => (path.startsWith('/') ? path : `/${path}`)).join(',');
  throw new UsageError(`The path of a partition key begins with a slash: --partition-key ${quoted(meant)}`);
}

export function hashDefinition(paths: readonly string[]): PartitionKeyDefinition {
  const kind = paths.length === 1 ? 'Hash' : 'MultiHash';
  return validatePartitionKeyDefinition({ paths, kind, version: 2 });
}
