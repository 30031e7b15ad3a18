// Where the local authority of a server is kept: in its data folder.

import { join } from 'node:path';

export function tlsFolderOf(dataFolder: string): string {
  return join(dataFolder, 'tls');
}
