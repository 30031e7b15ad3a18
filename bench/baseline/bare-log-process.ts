// A bare log in a process of its own. In that of the product it had a heap that was not its own: in some turns full garbage
// collections came every 40 ms and in others not at all, and its rate was 400 or 600 thousand documents a second by chance.

import { ChildWithAnswers } from '../common/child-with-answers.ts';
import type { Drive } from '../common/drive.ts';
import type { BareTurn } from './bare-log-child.ts';

export class BareLogProcess {
  readonly #child: ChildWithAnswers;

  private constructor(child: ChildWithAnswers) {
    this.#child = child;
  }

  /** Ready for its first turn when this resolves. */
  static async start(path: string, { isOneTrip }: { readonly isOneTrip: boolean }): Promise<BareLogProcess> {
    const module = new URL('./bare-log-child.js', import.meta.url);
    return new BareLogProcess(await ChildWithAnswers.start(module, isOneTrip ? [path, 'one-trip'] : [path]));
  }

  async turn(documents: number, options: BareTurn['options']): Promise<Drive> {
    return (await this.#child.ask({ documents, options } satisfies BareTurn)) as Drive; // The child sends nothing else.
  }

  close(): Promise<void> {
    return this.#child.close();
  }
}
