// Why a start was refused, in a sentence that says what to do.

import type { DatabaseError } from '@tidemark/model';
import { isDatabaseError } from '@tidemark/model';
import type { Settings } from './settings.ts';

/** Of other files whoever reads them has spoken already. */
const folderCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT']);

export function explainStart(error: unknown, { port, host, data, memory }: Settings, command: string): string {
  if (isDatabaseError(error)) {
    return `${error.message}${cureOf(error, data, command)}`;
  }
  const { code, syscall, message } = Object(error) as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    // A folder belongs to one process: with another port alone, a second server would be refused next.
    const beside = memory ? '' : ' Beside another Tidemark it needs --memory or --data FOLDER as well.';
    return `Port ${port} is taken: perhaps another Tidemark or an emulator is running. --port 0 takes a free one.${beside}`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `This machine has no address ${host}.`;
  if (code === 'EACCES' && syscall === 'listen')
    return `This user may not listen on port ${port}; choose one above 1023.`;
  if (code !== undefined && folderCodes.has(code)) {
    return `The data folder ${data} cannot be used: ${message}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function cureOf({ code, message }: DatabaseError, data: string, command: string): string {
  if (code === 'forbidden') {
    return ' Give keys of your own (TIDEMARK_KEY or --key-file); --insecure-default-key allows it nevertheless.';
  }
  if (code === 'corrupt') {
    return ` The data folder is ${data}. Keep it, and restore a backup into another: ${command} restore BACKUP FOLDER.`;
  }
  if (code === 'folder-in-use') return ' --data FOLDER names another one, --memory does without.';
  return code === 'folder-foreign' && !message.includes(data) ? ` The data folder is ${data}.` : '';
}
