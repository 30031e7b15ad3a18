// Whether there is a server to talk to, and what clients that met none wait for.

import { Bell } from './bell.ts';

export class Uptime {
  readonly #bell = new Bell();
  #isUp = true;

  get isUp(): boolean {
    return this.#isUp;
  }

  set isUp(isUp: boolean) {
    this.#isUp = isUp;
    this.#bell.ring();
  }

  untilUp(): Promise<void> {
    return this.#bell.until(() => this.#isUp);
  }
}
