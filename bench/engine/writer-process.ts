// Those who write, each in a process of its own, as their parent sees them: of several databases in one process each would have the
// garbage of all to collect, and memory that the others have left.

import { ChildWithAnswers } from '../common/child-with-answers.ts';
import type { Drive } from '../common/drive.ts';
import type { WriterAnswer, WriterTurn } from './writer-turn.ts';

export class WriterProcess {
  readonly #child: ChildWithAnswers;
  count: number;

  private constructor(child: ChildWithAnswers, count: number) {
    this.#child = child;
    this.count = count;
  }

  /** Ready for its first turn when this resolves. LMDB is loaded with so many documents, a folder of Tidemark has them. */
  static async start(kind: 'tidemark' | 'lmdb', folder: string, count: number): Promise<WriterProcess> {
    const module = new URL('./writer-child.js', import.meta.url);
    return new WriterProcess(await ChildWithAnswers.start(module, [kind, folder, String(count)]), count);
  }

  async turn(turn: WriterTurn): Promise<Drive> {
    const { driven, count } = (await this.#child.ask(turn)) as WriterAnswer; // The child sends nothing else.
    this.count = count;
    return driven;
  }

  close(): Promise<void> {
    return this.#child.close();
  }
}
