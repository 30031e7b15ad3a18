// A peer's server in a process of its own: started, waited for until it takes connections, and ended.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface DaemonOptions {
  /** Command and arguments. */
  readonly command: readonly string[];
  readonly port: number;
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
  readonly endSignal?: NodeJS.Signals;
}

const readyMsMax = 30_000;
const endMsMax = 10_000;

export class Daemon implements AsyncDisposable {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #endSignal: NodeJS.Signals;

  private constructor(child: ChildProcess, port: number, endSignal: NodeJS.Signals) {
    this.#child = child;
    this.port = port;
    this.#endSignal = endSignal;
  }

  static async start(options: DaemonOptions): Promise<Daemon> {
    const [command = '', ...args] = options.command;
    const { folder: cwd, env = process.env, uid, gid } = options;
    const user = uid === undefined || gid === undefined ? {} : { uid, gid };
    const child = spawn(command, args, { cwd, env, ...user, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const hear = (chunk: Buffer): void => {
      said = (said + chunk.toString()).slice(-600);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    let failure: string | undefined;
    child.once('error', (error) => {
      failure = error.message;
    });
    child.once('exit', (code) => {
      failure = `it ended with ${code}`;
    });
    const daemon = new Daemon(child, options.port, options.endSignal ?? 'SIGTERM');
    const endMs = performance.now() + readyMsMax;
    while (!(await takesConnections(options.port))) {
      if (failure !== undefined) throw new Error(`${failure}: ${said.trim()}`);
      if (performance.now() > endMs) {
        await daemon[Symbol.asyncDispose]();
        throw new Error(`it took no connection within ${readyMsMax} ms: ${said.trim()}`);
      }
      await sleep(20);
    }
    return daemon;
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(this.#endSignal);
    const deadline = setTimeout(() => this.#child.kill('SIGKILL'), endMsMax);
    await ended;
    clearTimeout(deadline);
  }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
