// From the moment a write is sent until a consumer that waits at the end of the feed has the document: one write at a time, with
// nothing else to do. The consumer is in the process that writes, so that both times are of one clock.

import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../../common/drive.ts';
import { idOf } from '../../engine/documents.ts';
import type { Subject } from '../subjects/subject.ts';
import type { Numbers } from './numbers.ts';
import type { Turn, TurnOptions } from './turn.ts';

const arrivalMsMax = 10_000;

export async function measureLatency(subject: Subject, numbers: Numbers, options: TurnOptions): Promise<Turn> {
  if (subject.tail === undefined) throw new Error('Nobody can wait for its feed.');
  let awaited: { readonly id: string; readonly version: number; arrived(atMs: number): void } | undefined;
  const tail = await subject.tail((documents) => {
    const atMs = performance.now();
    for (const { id, version } of documents) {
      // Versions in documents count from a thousand million on.
      if (id === awaited?.id && version % 1_000_000_000 === awaited.version) awaited.arrived(atMs);
    }
  });
  const fromSent: number[] = [];
  const fromAcknowledged: number[] = [];
  for (let i = 0; i < options.latencyWrites; i += 1) {
    await sleep(options.latencyPauseMs);
    const n = numbers.existing();
    const version = numbers.version();
    const arrival = new Promise<number>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`A change did not come in ${arrivalMsMax} ms.`)), arrivalMsMax);
      const arrived = (atMs: number): void => {
        clearTimeout(late);
        resolve(atMs);
      };
      awaited = { id: idOf(n), version, arrived };
    });
    const sentMs = performance.now();
    const acknowledged = tail.write(n, version).then(() => performance.now());
    const [arrivedMs, acknowledgedMs] = await Promise.all([arrival, acknowledged]);
    fromSent.push(arrivedMs - sentMs);
    fromAcknowledged.push(Math.max(0, arrivedMs - acknowledgedMs));
  }
  await tail.close();
  const sent = quantiles(fromSent);
  const acknowledged = quantiles(fromAcknowledged);
  const details = {
    p99Ms: sent.p99,
    afterAcknowledgementP50Ms: acknowledged.p50,
    afterAcknowledgementP99Ms: acknowledged.p99,
  };
  return { figure: sent.p50, documents: options.latencyWrites, details };
}
