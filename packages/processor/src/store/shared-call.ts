// One call for all who want its result, remembered when it has succeeded. Who does not want it any more waits no longer, and the others
// are not disturbed by that; when nobody is left it is given up. After a failure the next who asks begins anew.

export class SharedCall<T> {
  readonly #call: (signal: AbortSignal) => Promise<T>;
  #done: { readonly value: T } | undefined;
  #running: Running<T> | undefined;

  constructor(call: (signal: AbortSignal) => Promise<T>) {
    this.#call = call;
  }

  async get(signal?: AbortSignal): Promise<T> {
    if (this.#done !== undefined) return this.#done.value;
    signal?.throwIfAborted();
    const running = this.#running ?? this.#begin();
    running.waiting += 1;
    try {
      return await (signal === undefined ? running.result : unlessGivenUp(running.result, signal));
    } finally {
      running.waiting -= 1;
      if (running.waiting === 0) this.#leave(running);
    }
  }

  #begin(): Running<T> {
    const controller = new AbortController();
    const running: Running<T> = { result: this.#call(controller.signal), controller, waiting: 0 };
    this.#running = running;
    running.result.then(
      (value) => {
        this.#done = { value };
      },
      // Told to those who wait.
      () => {},
    );
    return running;
  }

  #leave(running: Running<T>): void {
    if (this.#running === running) this.#running = undefined;
    running.controller.abort(nobodyLeft);
  }
}

interface Running<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

const nobodyLeft: Error = new Error('Nobody waits for the call any more.');

function unlessGivenUp<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    const end = (): void => signal.removeEventListener('abort', giveUp);
    result.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}
