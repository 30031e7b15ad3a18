// How far something has come, for people: one line that moves on a terminal, a line now and then elsewhere. And that it comes no
// further, when nobody answers.

import { silentMsMax } from './limits.ts';

const redrawMs = 100;
const lineMs = 10_000;
const barCells = 24;

export class Progress {
  readonly #stream: NodeJS.WriteStream;
  readonly #isTerminal: boolean;
  readonly #what: string;
  #lastMs = 0;
  #isDrawn = false;

  constructor(what: string, stream: NodeJS.WriteStream = process.stderr) {
    this.#what = what;
    this.#stream = stream;
    this.#isTerminal = stream.isTTY === true;
    // Whoever looks into a file wants to see the first line only when it takes long.
    if (!this.#isTerminal) this.#lastMs = performance.now();
  }

  /** `fraction` is undefined where nobody knows how much there is. */
  show(text: string, fraction?: number): void {
    const now = performance.now();
    if (now - this.#lastMs < (this.#isTerminal ? redrawMs : lineMs)) return;
    this.#lastMs = now;
    const line = `${this.#what}  ${fraction === undefined ? '' : `${bar(fraction)}  `}${text}`;
    if (!this.#isTerminal) {
      this.#stream.write(`tidemark: ${line}\n`);
      return;
    }
    this.#isDrawn = true;
    this.#stream.write(`\r\u001b[K${line.slice(0, Math.max(20, (this.#stream.columns ?? 80) - 1))}`);
  }

  /** A line that stays. */
  tell(text: string): void {
    this.end();
    this.#stream.write(`tidemark: ${text}\n`);
  }

  /** Takes the moving line away, so that what follows stands on a line of its own. */
  end(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
  }
}

/** Whether an account still answers: one that has gone is tried for half a minute, and a person is to hear of it before. */
export class Silence {
  readonly #progress: Progress;
  readonly #watch: NodeJS.Timeout;
  /** Calls that have no answer yet. */
  #open = 0;
  #answeredMs = 0;
  #isTold = false;

  constructor(progress: Progress) {
    this.#progress = progress;
    this.#watch = setInterval(() => this.#look(), silentMsMax / 4);
  }

  /** It was said that nobody answers, and nobody has since. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** A call with all its tries. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    if (this.#open === 0) this.#answeredMs = performance.now();
    this.#open += 1;
    try {
      return await call();
    } finally {
      this.#open -= 1;
      this.#answeredMs = performance.now();
      this.#isTold = false;
    }
  }

  close(): void {
    clearInterval(this.#watch);
  }

  #look(): void {
    if (this.#isTold || this.#open === 0 || performance.now() - this.#answeredMs < silentMsMax) return;
    this.#isTold = true;
    this.#progress.tell(`no answer for ${silentMsMax / 1_000} s. Trying again; Ctrl-C stops.`);
  }
}

function bar(fraction: number): string {
  const full = Math.round(Math.min(1, Math.max(0, fraction)) * barCells);
  return `${'█'.repeat(full)}${'░'.repeat(barCells - full)} ${Math.floor(fraction * 100)} %`;
}
