// An import: lines in, documents out, with what failed by line number and a state to go on from.

import { setMaxListeners } from 'node:events';
import type { RestContainer } from '@tidemark/client';
import type { PartitionKeyDefinition } from '@tidemark/model';
import { effectiveKey, effectiveKeyHex, extractPartitionKey, parsePartitionKeyPath } from '@tidemark/model';
import type { ImportSource } from './import-source.ts';
import { headBytes } from './import-source.ts';
import type { LaneEntry, LaneOutcome } from './lanes.ts';
import { Lanes } from './lanes.ts';
import { failuresShownMax, lastAnswersMsMax, stateMs } from './limits.ts';
import type { Line, LinesStart } from './lines.ts';
import { Progress, Silence } from './progress.ts';
import type { State, StateFile } from './state-file.ts';
import { checkState } from './state-file.ts';
import { count, say, size } from './terminal.ts';
import type { LineSpan } from './watermark.ts';
import { Watermark } from './watermark.ts';

export interface ImportOptions {
  readonly container: RestContainer;
  readonly partitionKey: PartitionKeyDefinition;
  readonly source: ImportSource;
  readonly state: StateFile | undefined;
  /** What the state file has to be about: the endpoint and the container. */
  readonly target: string;
  /** Of the container: one that took the place of another of the same name has nothing of what went before. */
  readonly rid: unknown;
  readonly isCreate: boolean;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

export interface Failure {
  readonly line: number;
  readonly status: number;
  readonly message: string;
}

export interface ImportReport {
  readonly created: number;
  readonly replaced: number;
  readonly failed: number;
  /** The first of them. */
  readonly failures: readonly Failure[];
  readonly charge: number;
  readonly isComplete: boolean;
}

export class ImportRun {
  readonly #options: ImportOptions;
  readonly #paths: readonly (readonly string[])[];
  readonly #progress = new Progress('import');
  readonly #failures: Failure[] = [];
  #watermark = new Watermark(beginning);
  #created = 0;
  #replaced = 0;
  #failed = 0;
  #charge = 0;
  #savedMs = 0;

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#paths = options.partitionKey.paths.map(parsePartitionKeyPath);
  }

  async run(): Promise<ImportReport> {
    const { source, state, signal, container, concurrency } = this.#options;
    const start = this.#resume(state?.read());
    const silence = new Silence(this.#progress);
    const lastAnswers = new LastAnswers(signal, silence);
    const lanes = new Lanes({
      container,
      lanes: concurrency,
      signal,
      answersSignal: lastAnswers.signal,
      during: (call) => silence.during(call),
      onDone: (entry, outcome) => this.#done(entry, outcome),
    });
    try {
      for await (const line of source.lines(start, signal)) {
        if (signal.aborted) break;
        if (!this.#watermark.begin(line)) continue;
        const entry = this.#entryOf(line);
        if (entry === undefined) continue;
        await lanes.add(entry);
      }
      await lanes.finish();
    } catch (error) {
      this.#progress.end();
      this.#save();
      throw error;
    } finally {
      lastAnswers.close();
      silence.close();
    }
    this.#progress.end();
    if (signal.aborted) this.#save();
    else state?.remove();
    return {
      created: this.#created,
      replaced: this.#replaced,
      failed: this.#failed,
      failures: this.#failures,
      charge: Math.round(this.#charge * 100) / 100,
      isComplete: !signal.aborted,
    };
  }

  #resume(saved: State | undefined): LinesStart {
    const { source, target, rid, state } = this.#options;
    if (saved === undefined || state === undefined) return beginning;
    checkState(saved, { what: 'import', target, rid }, state.path);
    checkState(saved, { digest: source.digest(Number(saved['headBytes'] ?? 0)) }, state.path);
    const number = (name: string): number => Number(saved[name] ?? 0);
    this.#created = number('created');
    this.#replaced = number('replaced');
    this.#failed = number('failed');
    if (Array.isArray(saved['failures'])) this.#failures.push(...saved['failures']);
    const start = { number: number('line'), end: number('offset') };
    this.#watermark = new Watermark(start, spansOf(saved['beyond']));
    say(`going on at line ${count(start.number + 1)} of ${source.name}, as ${state.path} says; --restart begins anew.`);
    return start;
  }

  /** Undefined when there is nothing to write: a blank line, or one that is no document. */
  #entryOf({ number, bytes }: Line): LaneEntry | undefined {
    if (bytes === undefined) return this.#refuse(number, 413, 'The line is longer than any document may be.');
    const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
    if (text.trim() === '') {
      this.#watermark.finish(number);
      return undefined;
    }
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return this.#refuse(number, 400, 'The line is not a JSON object.');
      }
      const partitionKey = extractPartitionKey(value, this.#paths);
      const epk = effectiveKeyHex(effectiveKey(this.#options.partitionKey, partitionKey));
      const type = this.#options.isCreate ? 'Create' : 'Upsert';
      const { id }: { id?: unknown } = value;
      return { line: number, id: String(id), epk, operation: { type, partitionKey, document: Buffer.from(text) } };
    } catch (error) {
      return this.#refuse(number, 400, (error as Error).message); // JSON.parse and the model throw Errors.
    }
  }

  #refuse(line: number, status: number, message: string): undefined {
    this.#failed += 1;
    if (this.#failures.length < failuresShownMax) this.#failures.push({ line, status, message });
    this.#watermark.finish(line);
  }

  #done(entry: LaneEntry, { status, charge, message }: LaneOutcome): void {
    this.#charge += charge;
    if (status >= 300) {
      this.#refuse(entry.line, status, message ?? statusText(status));
    } else {
      if (status === 201) this.#created += 1;
      else this.#replaced += 1;
      this.#watermark.finish(entry.line);
    }
    this.#show();
    const now = performance.now();
    if (now - this.#savedMs < stateMs) return;
    this.#savedMs = now;
    this.#save();
  }

  #show(): void {
    const { sizeBytes } = this.#options.source;
    const { end } = this.#watermark.position;
    const failed = this.#failed === 0 ? '' : `, ${count(this.#failed)} failed`;
    const text = `${count(this.#created + this.#replaced)} documents, ${size(end)}${failed}`;
    this.#progress.show(text, sizeBytes === undefined || sizeBytes === 0 ? undefined : end / sizeBytes);
  }

  #save(): void {
    const { source, target, rid, state } = this.#options;
    const { number: line, end: offset } = this.#watermark.position;
    const bytes = headBytes(source);
    state?.write({
      what: 'import',
      target,
      rid,
      headBytes: bytes,
      digest: source.digest(bytes),
      line,
      offset,
      beyond: this.#watermark.beyond,
      created: this.#created,
      replaced: this.#replaced,
      failed: this.#failed,
      failures: this.#failures,
    });
  }
}

/** When the answers under way are not waited for any longer: a while after the stop, or at once when nobody answers anyway. */
class LastAnswers {
  readonly #end = new AbortController();
  readonly #stop: AbortSignal;
  readonly #onStop: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(stop: AbortSignal, silence: Silence) {
    this.#stop = stop;
    // Every request listens to one and every pause to the other; Node takes more than ten for a leak.
    setMaxListeners(0, this.#end.signal, stop);
    this.#onStop = () => {
      // That it goes on trying would not be true any more.
      silence.close();
      this.#timer = setTimeout(() => this.#end.abort(), silence.isTold ? 0 : lastAnswersMsMax);
    };
    stop.addEventListener('abort', this.#onStop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop.removeEventListener('abort', this.#onStop);
  }
}

const beginning: LinesStart = { number: 0, end: 0 };

/** What this program has written itself, perhaps in an older version that had none. */
function spansOf(saved: unknown): LineSpan[] {
  return Array.isArray(saved) ? saved : [];
}

/** Wire: an outcome in a bulk has no message on the service. */
function statusText(status: number): string {
  if (status === 409) return 'A document of this id exists already.';
  if (status === 413) return 'The document is larger than a document may be.';
  return `The server answered ${status}.`;
}
