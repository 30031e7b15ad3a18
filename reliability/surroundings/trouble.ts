// One thing around the server that goes wrong.

import type { LaunchOptions, Running } from '../../conformance/server-process.ts';
import { end, start } from '../../conformance/server-process.ts';
import { RawWrites } from './raw-writes.ts';

export interface Trouble {
  readonly name: string;
  /** In the short form, too. */
  readonly isQuick?: true;
  /** Findings, or why it cannot be tried here. */
  run(): Promise<readonly string[] | { readonly skipped: string }>;
}

/** A server on a folder that is there already, and writes to it. */
export class TroubledServer implements AsyncDisposable {
  readonly writes: RawWrites = new RawWrites(() => this.#running.ready.url);
  readonly #folder: string;
  readonly #launch: LaunchOptions;
  #running!: Running;

  private constructor(folder: string, launch: LaunchOptions) {
    this.#folder = folder;
    this.#launch = launch;
  }

  static async on(folder: string, launch: LaunchOptions = {}): Promise<TroubledServer> {
    const server = new TroubledServer(folder, launch);
    await server.start();
    await server.writes.create();
    return server;
  }

  get running(): Running {
    return this.#running;
  }

  async start(): Promise<void> {
    this.#running = await start(['--port', '0', '--data', this.#folder], this.#launch);
  }

  end(signal: NodeJS.Signals): Promise<number | null> {
    return end(this.#running, signal);
  }

  /** What is on disk, not what is in memory. */
  async verdictAfterKill(): Promise<string[]> {
    await this.end('SIGKILL');
    await this.start();
    return this.writes.verdict();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }
}

/** Sentences for what is not as it has to be. */
export function differences(
  expected: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(expected)
    .filter(([name, value]) => JSON.stringify(found[name]) !== JSON.stringify(value))
    .map(([name, value]) => `${name}: ${JSON.stringify(found[name])} instead of ${JSON.stringify(value)}`);
}
