// A reader of event streams over a real socket, by the rules of the HTML standard: an event counts when its empty line has
// come, and an id counts from its event on, also of one that shows nothing.

import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import type { World } from './harness.ts';
import { signedHeaders } from './harness.ts';

export interface StreamEvent {
  readonly type: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects.
  readonly data: any;
}

export class EventStream implements AsyncDisposable {
  readonly response: IncomingMessage;
  readonly events: StreamEvent[] = [];
  comments = 0;
  lastEventId = '';
  isEnded = false;
  text = '';
  #rest = '';

  private constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    response.once('close', () => {
      this.isEnded = true;
    });
    response.on('error', () => {});
  }

  /** Signed in its headers, unless it is told not to be. */
  static open(
    world: World,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    isSigned: boolean = true,
  ): Promise<EventStream> {
    const [address = ''] = path.split('?', 1);
    const all = {
      accept: 'text/event-stream',
      ...(isSigned ? signedHeaders('GET', address) : {}),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const asked = request(new URL(path, world.url), { headers: all, agent: false }, (response) =>
        resolve(new EventStream(response)),
      );
      asked.once('error', reject);
      asked.end();
    });
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  /** Everything that pages have shown. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  get documents(): any[] {
    return this.events.filter(({ type }) => type === 'message').flatMap(({ data }) => data.Documents);
  }

  async until(isTrue: (stream: this) => boolean): Promise<void> {
    while (!isTrue(this)) {
      if (this.isEnded) throw new Error(`The stream ended: ${this.text.slice(-500)}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async ended(): Promise<void> {
    while (!this.isEnded) await new Promise((resolve) => setImmediate(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.response.destroy();
  }

  #take(text: string): void {
    this.text += text;
    this.#rest += text;
    for (let end = this.#rest.indexOf('\n\n'); end !== -1; end = this.#rest.indexOf('\n\n')) {
      this.#dispatch(this.#rest.slice(0, end).split('\n'));
      this.#rest = this.#rest.slice(end + 2);
    }
  }

  #dispatch(lines: readonly string[]): void {
    let type = 'message';
    const data: string[] = [];
    for (const line of lines) {
      if (line.startsWith(':')) this.comments += 1;
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === 'id') this.lastEventId = value;
      if (name === 'event') type = value;
      if (name === 'data') data.push(value);
    }
    if (data.length > 0) this.events.push({ type, id: this.lastEventId, data: JSON.parse(data.join('\n')) });
  }
}
