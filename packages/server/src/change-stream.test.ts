import { EventEmitter } from 'node:events';

import type { ChangeFeed, ChangePage } from '@tidemark/engine';
import { DatabaseError } from '@tidemark/model';
import { describe, expect, test } from 'vitest';
import type { ChangeStreamOptions } from './change-stream.ts';
import { ChangeStream } from './change-stream.ts';
import { pageCharge } from './charge.ts';
import type { HttpResponse } from './http/http-response.ts';
import { heartbeatMs, slowReaderMsMax } from './limits.ts';
import type { Wake } from './waiting-room.ts';

const page = (etag: string, ...documents: string[]): ChangePage => ({
  pieces: documents.map((text, i) => Buffer.from(i === 0 ? text : `,${text}`)),
  count: documents.length,
  etag,
  isDrained: documents.length === 0,
  range: undefined,
});

/** A stream over these pages whose waits end as told; what it has written when it is over. */
async function run(
  pages: readonly ChangePage[],
  wakes: readonly (Wake | undefined)[],
  options: {
    readonly accepts?: boolean;
    readonly admits?: boolean;
    readonly admit?: ChangeStreamOptions['admit'];
    readonly recheck?: () => void;
    readonly endEtag?: string;
  } = {},
): Promise<{ text: string; waits: number[]; isDestroyed: boolean; isEnded: boolean; streams: number }> {
  const rest = [...pages];
  const ends = [...wakes];
  let etag = '"0"';
  const feed = {
    get etag() {
      return etag;
    },
    async page() {
      const next = rest.shift() ?? page(etag);
      etag = next.etag;
      return next;
    },
    moveToEnd() {
      etag = options.endEtag ?? etag;
    },
  } as unknown as ChangeFeed<unknown>; // All of it that a stream uses.
  let text = '';
  const outgoing = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableNeedDrain: false,
    isEnded: false,
    write(chunk: string | Buffer) {
      text += chunk.toString();
      this.writableNeedDrain = options.accepts === false;
      return !this.writableNeedDrain;
    },
    end() {
      this.isEnded = true;
    },
    destroy() {
      this.destroyed = true;
    },
  });
  const waits: number[] = [];
  const room: ChangeStreamOptions['room'] = {
    streams: 0,
    wait(_watched, ms) {
      waits.push(ms);
      outgoing.writableNeedDrain = false;
      const wake = ends.shift();
      return wake === undefined ? undefined : Promise.resolve(wake);
    },
    answered: () => {},
    forget: () => {},
  };
  let held = 0;
  let isNoted = false;
  const unsent: ChangeStreamOptions['unsent'] = {
    admit: () => options.admits !== false,
    hold() {
      held += 1;
      return () => {
        held -= 1;
      };
    },
    note() {
      isNoted = outgoing.isEnded;
    },
  };
  const farewell = (error: unknown) => ({ event: 'failed', data: { message: (error as Error).message } });
  const recheck = options.recheck ?? (() => {});
  const stream = new ChangeStream(outgoing as unknown as HttpResponse, {
    feed,
    rid: 'r',
    room,
    admit: options.admit,
    unsent,
    recheck,
    farewell,
  });
  await stream.run();
  expect(held).toBe(0);
  // A client that does not take the end either must not keep its connection for good.
  expect(isNoted).toBe(outgoing.isEnded);
  return { text, waits, isDestroyed: outgoing.destroyed, isEnded: outgoing.isEnded, streams: room.streams };
}

describe('change stream', () => {
  test('[B1] begins with its position, sends each page as one event, and ends with the server', async () => {
    const { text, isEnded, streams } = await run(
      [page('"2"', '{"id":"1"}', '{"id":"2"}'), page('"3"', '{"a":\r\n1}')],
      ['closing'],
    );
    expect(text).toBe(
      'retry: 1000\nid: "0"\n\n' +
        'id: "2"\ndata: {"_rid":"r","Documents":[{"id":"1"},{"id":"2"}],"_count":2}\n\n' +
        'id: "3"\ndata: {"_rid":"r","Documents":[{"a":  1}],"_count":1}\n\n',
    );
    expect([isEnded, streams]).toEqual([true, 0]);
  });

  test('[B1] says that it lives when nothing comes, and how far it has looked', async () => {
    const { text, waits } = await run([], ['time', 'time', 'more', 'closing'], { endEtag: '"7"' });
    expect(text).toBe('retry: 1000\nid: "0"\n\nid: "7"\n\n:\n\n:\n\n');
    expect(waits).toEqual(new Array(4).fill(heartbeatMs));
  });

  test('[B1] [M18] ends when its token is not good any more', async () => {
    const recheck = () => {
      throw new DatabaseError('forbidden', 'It has expired.');
    };
    for (const pages of [[], [page('"1"', '{"secret":1}')]]) {
      const { text, isEnded } = await run(pages, ['time'], { recheck });
      expect(text).toBe('retry: 1000\nid: "0"\n\nevent: failed\ndata: {"message":"It has expired."}\n\n');
      expect(isEnded).toBe(true);
    }
  });

  test('[B1] reads no further while its client does not, and cuts it off in the end', async () => {
    const pages = [page('"1"', '{}'), page('"2"', '{}'), page('"3"', '{}')];
    const slow = await run(pages, ['more', 'time'], { accepts: false });
    expect(slow.waits).toEqual([slowReaderMsMax, slowReaderMsMax]);
    expect(slow.text).toContain('id: "2"');
    expect(slow.text).not.toContain('id: "3"');
    expect([slow.isDestroyed, slow.streams]).toEqual([true, 0]);
  });

  test('[B1] waits for its client also where it has only positions to tell, and life signs', async () => {
    const passed = await run([page('"1"'), page('"2"')], ['more', 'more', 'time'], { accepts: false });
    expect(passed.waits).toEqual([slowReaderMsMax, heartbeatMs, slowReaderMsMax]);
    expect(passed.isDestroyed).toBe(true);
    const idle = await run([], ['more', 'time', 'time'], { accepts: false });
    expect(idle.waits).toEqual([slowReaderMsMax, heartbeatMs, slowReaderMsMax]);
    expect(idle.isDestroyed).toBe(true);
  });

  test('[B1] [M16] waits while the throughput of its container is used up, and pays for its pages', async () => {
    const charges: number[] = [];
    let refusals = 2;
    const admit = () => {
      refusals -= 1;
      if (refusals >= 0) throw new DatabaseError('too-many-requests', 'Later.', { retryAfterMs: 70 });
      return { settle: (charge: number) => void charges.push(charge) };
    };
    const { text, waits } = await run([page('"1"', '{}')], ['time', 'time', 'closing'], { admit });
    expect(waits).toEqual([70, 70, heartbeatMs]);
    expect(text).toContain('id: "1"');
    expect(charges).toEqual([pageCharge(1, 2), pageCharge(0, 0)]);
    refusals = 1;
    const left = await run([page('"1"', '{}')], ['left'], { admit });
    expect([left.text, left.streams]).toEqual(['retry: 1000\nid: "0"\n\n', 0]);
  });

  test('[B1] ends at its position when too much waits for other clients', async () => {
    const { text, isEnded } = await run([page('"1"', '{}')], ['more'], { admits: false });
    expect(text).toBe('retry: 1000\nid: "0"\n\n');
    expect(isEnded).toBe(true);
  });

  test('[B1] ends where there is no room to wait, or nobody to wait for', async () => {
    expect((await run([], [undefined])).isEnded).toBe(true);
    expect((await run([], ['left'])).streams).toBe(0);
  });
});
