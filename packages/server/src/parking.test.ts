import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { Parking } from './parking.ts';

interface Waiting extends AsyncDisposable {
  readonly outgoing: ServerResponse;
  goAway(): void;
}

/** A request that a client has sent and that is not answered. */
async function waiting(): Promise<Waiting> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const arrived = once(server, 'request');
  const client = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }, (response) =>
    response.resume(),
  );
  client.on('error', () => {});
  const [, outgoing] = (await arrived) as [unknown, ServerResponse];
  return {
    outgoing,
    goAway: () => client.destroy(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

test('a request that waits is told when its client goes away', async () => {
  await using request = await waiting();
  const parking = new Parking();
  const signal = parking.signalFor(request.outgoing);
  expect([signal.aborted, parking.size]).toEqual([false, 1]);

  request.goAway();
  await once(signal, 'abort');

  expect(parking.size).toBe(0);
});

test('all that wait are told when the server closes, and those that come later at once', async () => {
  await using first = await waiting();
  await using second = await waiting();
  const parking = new Parking();
  const signals = [parking.signalFor(first.outgoing), parking.signalFor(second.outgoing)];

  parking.close();

  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect([parking.size, parking.isClosing]).toEqual([0, true]);
  expect(parking.signalFor(first.outgoing).aborted).toBe(true);
});

test('an answered request waits no more', async () => {
  await using request = await waiting();
  const parking = new Parking();
  parking.signalFor(request.outgoing);

  request.outgoing.end('done');
  await once(request.outgoing, 'close');

  expect(parking.size).toBe(0);
  expect(parking.signalFor(request.outgoing).aborted).toBe(true);
});
