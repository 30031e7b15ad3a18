// Something has happened: whoever waits looks again. A ring between the look and the waiting is not missed.

export class Bell {
  #count = 0;
  #waiting: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  ring(): void {
    this.#count += 1;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves when it has rung more often than `count`. */
  after(count: number): Promise<void> {
    if (this.#count > count) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  async until(holds: () => boolean): Promise<void> {
    for (;;) {
      const { count } = this;
      if (holds()) return;
      await this.after(count);
    }
  }

  /** As `until`, but false when nothing at all has happened for so long: then it will not come, and the verdict says what is missing. */
  async untilOrStalled(holds: () => boolean, stallMsMax: number): Promise<boolean> {
    for (;;) {
      const { count } = this;
      if (holds()) return true;
      if (!(await this.#rings(count, stallMsMax))) return holds();
    }
  }

  async #rings(count: number, withinMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), withinMs);
    });
    const isRung = await Promise.race([this.after(count).then(() => true), late]);
    clearTimeout(timer);
    return isRung;
  }
}
