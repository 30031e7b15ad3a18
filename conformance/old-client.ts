// Clients that have to run in a process of their own.

import type { ChildProcess } from 'node:child_process';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningServer } from '@tidemark/server';
import { wellKnownKey } from '@tidemark/server';

/** Wire: this client insists on TLS 1.0, which node and OpenSSL have to be talked into (wire 1). */
const tls10 = ['--no-warnings', '--tls-min-v1.0', '--tls-cipher-list=DEFAULT@SECLEVEL=0'];

export const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Where the server is, its key, and whom to trust. */
export async function environmentFor(server: RunningServer, folder: string): Promise<NodeJS.ProcessEnv> {
  const authority = join(folder, 'ca.pem');
  await writeFile(authority, server.ca ?? '');
  return {
    ...process.env,
    // Nobody's options but these.
    NODE_OPTIONS: '',
    NODE_EXTRA_CA_CERTS: authority,
    TIDEMARK_ENDPOINT: `https://localhost:${server.port}/`,
    TIDEMARK_KEY: wellKnownKey,
  };
}

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export async function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Run> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

export function runWithTls10(script: string, env: NodeJS.ProcessEnv): Promise<Run> {
  return run(process.execPath, [...tls10, script], env);
}

export interface Called {
  readonly error: { readonly code: unknown; readonly body: string; readonly substatus?: number } | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects.
  readonly result: any;
  readonly headers: Readonly<Record<string, string>>;
}

/** The `documentdb` module, called by the names of its methods. */
export class DocumentDbClient implements Disposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (called: Called) => void>();
  #calls = 0;

  constructor(env: NodeJS.ProcessEnv) {
    this.#child = fork(fileOf('./clients/documentdb.cjs'), { env, execArgv: tls10, serialization: 'advanced' });
    this.#child.on('message', (message: Called & { readonly number: number }) => {
      this.#waiting.get(message.number)?.(message);
      this.#waiting.delete(message.number);
    });
    this.#child.on('exit', (code) => {
      const error = { code: 'exit', body: `the client ended with ${code}` };
      for (const resolve of this.#waiting.values()) resolve({ error, result: undefined, headers: {} });
    });
  }

  call(method: string, ...args: readonly unknown[]): Promise<Called> {
    return this.#send({ method, args });
  }

  /** Everything that an iterator gives. */
  async all(method: string, ...args: readonly unknown[]): Promise<Called> {
    return this.#send({ method, args, iterator: `toArray ${this.#calls}` });
  }

  /** Its next page, and that after it, with each call of what is returned. */
  pages(method: string, ...args: readonly unknown[]): () => Promise<Called> {
    const iterator = `executeNext ${this.#calls}`;
    return () => this.#send({ method, args, iterator });
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }

  #send(message: {
    readonly method: string;
    readonly args: readonly unknown[];
    readonly iterator?: string;
  }): Promise<Called> {
    this.#calls += 1;
    const number = this.#calls;
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve);
      this.#child.send({ number, ...message });
    });
  }
}
