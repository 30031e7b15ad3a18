// The same bytes to our reader of HTTP and to that of node:http. Ours may refuse more. Whatever it understands, node has to
// understand in the same way: two readers that disagree about where a request ends are how requests are smuggled past one of
// them. And however the bytes are cut, ours understands the same.

import { SeededRandom } from '@tidemark/testing';
import type { Understood, UnderstoodRequest } from './http-readers.ts';
import { readAsNode, readAsTidemark } from './http-readers.ts';
import type { HttpStream } from './http-streams.ts';
import { httpStream } from './http-streams.ts';

export interface HttpFuzzReport {
  readonly streams: number;
  /** Whole requests that both understood. */
  readonly understood: number;
  /** Streams of which ours refused something. */
  readonly refused: number;
  readonly failures: readonly string[];
}

export interface HttpFuzzOptions {
  /** The number of the first stream; 0 by default. */
  readonly from?: number;
  readonly onProgress?: (done: number) => void;
}

/** Ends with the first few failures: one cause makes many. */
export async function fuzzHttp(
  seed: number | string,
  streams: number,
  { from = 0, onProgress }: HttpFuzzOptions = {},
): Promise<HttpFuzzReport> {
  const failures: string[] = [];
  let understood = 0;
  let refused = 0;
  for (let number = from; number < from + streams && failures.length < failuresMax; number += 1) {
    const stream = httpStream(new SeededRandom(`http ${seed} ${number}`));
    const ours = await readAsTidemark(stream);
    const whole = stream.cuts.length === 0 ? ours : await readAsTidemark({ ...stream, cuts: [] });
    const theirs = await readAsNode({ ...stream, cuts: [] });
    const difference = differenceOf(ours, theirs) ?? differenceByCuts(ours, whole);
    if (difference !== undefined) failures.push(describeFailure(difference, seed, number, stream, ours, theirs));
    understood += ours.requests.filter(({ body }) => body !== undefined).length;
    if (isRefused(ours)) refused += 1;
    if ((number - from + 1) % progressStreams === 0) onProgress?.(number - from + 1);
  }
  return { streams, understood, refused, failures };
}

const failuresMax = 5;
const progressStreams = 10_000;

function differenceOf(ours: Understood, theirs: Understood): string | undefined {
  for (const [i, request] of ours.requests.entries()) {
    const other = theirs.requests[i];
    if (other === undefined) return `request ${i} is none to node`;
    if (request.head !== other.head) return `request ${i} has another head to node`;
    if (request.body !== undefined && request.body !== other.body) return `request ${i} has another body to node`;
  }
  const answered = ours.answers.match(/HTTP\/1\.1 200 /g)?.length ?? 0;
  if (answered !== wholeOf(ours).length) return `${wholeOf(ours).length} requests have ${answered} answers`;
  const isMore = wholeOf(theirs).length > wholeOf(ours).length;
  return isMore && !isRefused(ours) && !isLast(ours) ? 'node understands more, and ours refuses nothing' : undefined;
}

function differenceByCuts(cut: Understood, whole: Understood): string | undefined {
  // Behind an offer of another protocol it matters whether something came before the answer to it.
  if (whole.requests.some(({ head }) => /^upgrade:/m.test(head))) return undefined;
  const same = JSON.stringify(wholeOf(cut)) === JSON.stringify(wholeOf(whole)) && statusesOf(cut) === statusesOf(whole);
  return same ? undefined : 'ours understands it differently in one piece';
}

function wholeOf({ requests }: Understood): UnderstoodRequest[] {
  return requests.filter(({ body }) => body !== undefined);
}

function isRefused({ answers }: Understood): boolean {
  return /HTTP\/1\.1 4/.test(answers);
}

function isLast({ answers }: Understood): boolean {
  return /\r\nConnection: close\r\n/.test(answers);
}

/** A request in pieces may be told to go on, which one that is here is not. */
function statusesOf({ answers }: Understood): string {
  return [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)]
    .map(([, status]) => status)
    .filter((status) => status !== '100')
    .join();
}

function describeFailure(
  difference: string,
  seed: number | string,
  number: number,
  { bytes, cuts }: HttpStream,
  ours: Understood,
  theirs: Understood,
): string {
  return [
    `${difference}; again: npm run fuzz:http -- --seed ${seed} --from ${number} --streams 1`,
    `  bytes  ${JSON.stringify(bytes.toString('latin1'))}`,
    `  cuts   ${cuts.length > 20 ? `${cuts.length}` : cuts.join()}`,
    `  ours   ${JSON.stringify(ours.requests)} ${JSON.stringify(ours.answers.slice(0, 300))}`,
    `  node   ${JSON.stringify(theirs.requests)} ${JSON.stringify(theirs.answers.slice(0, 120))}`,
  ].join('\n');
}
