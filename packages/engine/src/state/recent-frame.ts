// A frame that is on disk and not yet in the index. Its memory will be used again, so that whoever looks at it for longer than a moment
// gets a copy, one for all of them.

import { FrameView } from '../log/frame.ts';
import type { FrameSpace } from '../log/frame-memory.ts';

export class RecentFrame {
  #view: FrameView;
  /** Undefined: the memory is the frame's own, as that of one that was read is. */
  readonly #space: FrameSpace | undefined;
  #isOwn: boolean;

  constructor(view: FrameView, space: FrameSpace | undefined) {
    this.#view = view;
    this.#space = space;
    this.#isOwn = space === undefined;
  }

  /** For a look without an `await`. */
  get view(): FrameView {
    return this.#view;
  }

  /** To be kept, and given to others. */
  get kept(): FrameView {
    if (!this.#isOwn) {
      this.#view = new FrameView(Buffer.from(this.#view.bytes), this.#view.header);
      this.#isOwn = true;
    }
    return this.#view;
  }

  /** It is in the index. */
  release(): void {
    this.#space?.release();
  }
}
