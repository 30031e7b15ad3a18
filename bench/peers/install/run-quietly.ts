// Runs a command and keeps what it says for the case that it fails.

import { spawn } from 'node:child_process';

const saidMax = 600;

export function runQuietly(
  command: string,
  args: readonly string[],
  folder: string,
  options: { readonly env?: NodeJS.ProcessEnv; readonly uid?: number; readonly gid?: number } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const failed = (why: string): void => {
      const words = `${said}\n${output}`.trim().slice(-saidMax);
      reject(new Error(`${command} ${args[0] ?? ''} ${why}${words === '' ? '' : `: ${words}`}`));
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') reject(new Error(`there is no ${command} on this machine`));
      else failed(`cannot be run (${error.message})`);
    });
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else failed(`ended with ${code}`);
    });
  });
}
