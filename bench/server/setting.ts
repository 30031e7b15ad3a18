// What every section works with.

import type { Drive } from '../common/drive.ts';
import { drive } from '../common/drive.ts';
import type { BenchOptions } from '../common/options.ts';
import type { Report } from '../common/report.ts';
import type { Chance } from '../engine/chance.ts';
import { Connection } from './connection.ts';
import type { ServerProcess } from './process.ts';

export interface ServerSetting {
  readonly options: BenchOptions;
  readonly report: Report;
  readonly chance: Chance;
  readonly server: ServerProcess;
  readonly bare: ServerProcess;
  /** Documents 0 … documents - 1 are in the database, in one range. */
  readonly folder: string;
}

export interface Load {
  readonly server: ServerProcess;
  readonly connections: number;
  /** Until this time is over, or this many are answered. */
  readonly until: { readonly turnMs: number } | { readonly operations: number };
  readonly status: readonly number[];
  request(connection: number): Buffer;
  answered?(connection: number, head: string, bodyBytes: number): void;
}

/** Every connection asks one thing after the other. The processor time is the server's. */
export async function load(wanted: Load): Promise<Drive> {
  const { server, connections, until, status } = wanted;
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(server.port)));
  const free = [...open.keys()];
  try {
    const processorBefore = server.processorMs;
    const driven = await drive({ writers: connections, ...until }, async () => {
      const n = free.pop() as number;
      const answer = await (open[n] as Connection).ask(wanted.request(n));
      if (!status.includes(answer.status)) throw new Error(`The server answered: ${answer.head}`);
      wanted.answered?.(n, answer.head, answer.bodyBytes);
      free.push(n);
    });
    return { ...driven, processorMs: server.processorMs - processorBefore };
  } finally {
    for (const connection of open) connection.close();
  }
}
