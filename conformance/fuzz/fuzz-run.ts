// A server process under a rain of hostile requests. It fails on a crash, a 500, an error that is not JSON, a request that
// nobody answers, a defect in the log, or memory that keeps growing.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { anonymousBytesOf, commandLine, SeededRandom } from '@tidemark/testing';
import type { HostileRequest } from './hostile-request.ts';
import { hostileRequest, plainRequest } from './hostile-request.ts';
import type { Outcome } from './hostile-socket.ts';
import { HostileSocket } from './hostile-socket.ts';
import { firstRequests } from './valid-requests.ts';

const clients = 32;

/** Memory is looked at from this share of the run on: by then caches and compiled code have their size. */
const warmShare = 0.3;
const growthMax = 96 * 1024 * 1024;

export interface FuzzOptions {
  readonly seed: string;
  readonly requests: number;
  readonly folder: string;
  readonly onProgress?: (done: number) => void;
}

export interface FuzzReport {
  readonly requests: number;
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  readonly warmBytes: number;
  readonly endBytes: number;
}

export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const args = [commandLine, 'serve', '--data', options.folder, '--port', '0'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const words: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => words.push(chunk.toString()));
  const failures: string[] = [];
  const statuses: Record<string, number> = {};
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`it ended before it was ready: ${words.join('')}`))),
  ])) as [string];
  const { port } = JSON.parse(line) as { port: number };
  const exited = once(child, 'exit');

  const first = new HostileSocket(port);
  for (const draft of firstRequests()) {
    const { pieces, ...how } = plainRequest(draft, Date.now());
    const outcome = await first.ask(pieces, how);
    if (typeof outcome === 'string' || outcome.status !== 201) failures.push(`a right request failed: ${outcome}`);
  }
  first.close();

  let next = 0;
  let warmBytes = 0;
  const client = async (): Promise<void> => {
    const socket = new HostileSocket(port);
    while (next < options.requests && failures.length < 5 && child.exitCode === null) {
      const number = next++;
      if (number === Math.floor(options.requests * warmShare)) warmBytes = anonymousBytesOf(child.pid);
      if (number % 10_000 === 0) options.onProgress?.(number);
      const request = hostileRequest(new SeededRandom(`${options.seed}/${number}`), Date.now());
      const outcome = await socket.ask(request.pieces, request);
      const wrong = wrongWith(request, outcome);
      const status = typeof outcome === 'string' ? outcome : String(outcome.status);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (wrong !== undefined) failures.push(`request ${number} of seed ${options.seed}: ${wrong}\n${shown(request)}`);
    }
    socket.close();
  };
  await Promise.all(Array.from({ length: clients }, client));

  const endBytes = anonymousBytesOf(child.pid);
  if (child.exitCode !== null)
    failures.push(`the server ended with code ${child.exitCode}:\n${words.join('').slice(-4_000)}`);
  else {
    if (endBytes - warmBytes > growthMax) {
      failures.push(`memory grew from ${mebibytes(warmBytes)} to ${mebibytes(endBytes)} MiB`);
    }
    child.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    if (code !== 0) failures.push(`it ended with code ${code} on SIGTERM:\n${words.join('').slice(-4_000)}`);
  }
  const defects = words
    .join('')
    .split('\n')
    .filter((text) => text.includes('"level":"error"') || text.includes('"level":50'));
  if (defects.length > 0) failures.push(`the log has defects:\n${defects.slice(0, 5).join('\n')}`);
  return { requests: next, statuses, failures, warmBytes, endBytes };
}

function wrongWith(request: HostileRequest, outcome: Outcome): string | undefined {
  if (outcome === 'unanswered') return 'nobody answered';
  if (outcome === 'closed')
    return request.mayClose || request.isCut ? undefined : 'the connection was closed without an answer';
  const { status, body, head } = outcome;
  if (status < 200 || status > 599 || status === 500)
    return `it was answered with ${status}: ${body.toString('utf8', 0, 500)}`;
  if (status < 400 || request.isHead) return undefined;
  try {
    const { code, message } = JSON.parse(body.toString('utf8')) as { code?: unknown; message?: unknown };
    if (typeof code === 'string' && typeof message === 'string' && message !== '') return undefined;
  } catch {
    // Said below.
  }
  return `the error is not JSON with code and message: ${head}\n\n${body.toString('utf8', 0, 500)}`;
}

function shown({ pieces }: HostileRequest): string {
  return Buffer.concat([...pieces])
    .toString('latin1')
    .slice(0, 2_000);
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
