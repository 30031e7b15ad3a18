// How far something has come, for people: one line that moves on a terminal, a line now and then elsewhere.

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

  /** Takes the moving line away, so that what follows stands on a line of its own. */
  end(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
  }
}

function bar(fraction: number): string {
  const full = Math.round(Math.min(1, Math.max(0, fraction)) * barCells);
  return `${'█'.repeat(full)}${'░'.repeat(barCells - full)} ${Math.floor(fraction * 100)} %`;
}
