// A build in a process of its own, as its parent sees it.

import { ChildWithAnswers } from '../common/child-with-answers.ts';
import type { BuildTurn, TurnFigures, Work } from './turn.ts';

export class BuildProcess {
  readonly #child: ChildWithAnswers;

  private constructor(child: ChildWithAnswers) {
    this.#child = child;
  }

  /** Loaded and warm when this resolves. */
  static async start(checkout: string, folder: string, work: Work): Promise<BuildProcess> {
    const module = new URL('./child.js', import.meta.url);
    return new BuildProcess(await ChildWithAnswers.start(module, [checkout, folder, JSON.stringify(work)]));
  }

  async turn(turn: BuildTurn): Promise<TurnFigures> {
    return (await this.#child.ask(turn)) as TurnFigures; // The child sends nothing else.
  }

  close(): Promise<void> {
    return this.#child.close();
  }
}
