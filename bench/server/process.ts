// A server in a process of its own, from its start to its ready line and to its end.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const command: string = fileURLToPath(new URL('../../../packages/cli/bin/tidemark.cjs', import.meta.url));
const bare: string = fileURLToPath(new URL('./bare.js', import.meta.url));

export class ServerProcess implements AsyncDisposable {
  readonly port: number;
  /** From the start of the process to its ready line. */
  readonly readyMs: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, readyMs: number) {
    this.#child = child;
    this.port = port;
    this.readyMs = readyMs;
  }

  /** The product as its users start it; `prefix` is a command that runs it in a certain way, such as on certain cores. */
  static start(args: readonly string[], prefix: readonly string[] = []): Promise<ServerProcess> {
    return ServerProcess.#spawn([command, 'serve', '--port', '0', '--log-level', 'error', ...args], prefix);
  }

  static startBare(): Promise<ServerProcess> {
    return ServerProcess.#spawn([bare]);
  }

  static async #spawn(args: readonly string[], prefix: readonly string[] = []): Promise<ServerProcess> {
    const startedMs = performance.now();
    const [first = process.execPath, ...rest] = [...prefix, process.execPath, ...args];
    const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
    });
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`The server ended before it was ready: ${said}`);
    });
    const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
    ended.catch(() => {});
    return new ServerProcess(child, (JSON.parse(line) as { port: number }).port, performance.now() - startedMs);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** What the operating system says it occupies; Linux only. */
  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
  }

  /** Of all its threads, in user and in kernel mode, exact to the nanosecond; Linux only. A thread that ended counts no more. */
  get processorMs(): number {
    const tasks = `/proc/${this.pid}/task`;
    const nanoseconds = readdirSync(tasks).map((task) =>
      Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
    );
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
