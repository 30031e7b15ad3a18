// A process that may have few files open, and clients that take all of them.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RawClient } from '../../conformance/socket.ts';
import type { RawWrites } from './raw-writes.ts';
import type { Trouble } from './trouble.ts';
import { differences, TroubledServer } from './trouble.ts';

const filesMax = 96;
/** Several times as many as there are files. */
const connections = 600;

export const fewDescriptors: Trouble = {
  name: `no more than ${filesMax} open files, and ${connections} connections`,
  run: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-files-'));
    try {
      const through = ['sh', '-c', `ulimit -n ${filesMax}; exec "$@"`, 'sh'];
      await using server = await TroubledServer.on(folder, { through });
      const { writes, running } = server;
      const clients: RawClient[] = [];
      const statuses = new Set<number>();
      for (let n = 0; n < connections; n += 1) {
        // A connection that is refused at once is one, too.
        const client = await RawClient.connect(running.ready.port).catch(() => undefined);
        if (client !== undefined) clients.push(client.send('GET / HTTP/1.1\r\nhost: a\r\n\r\n'));
        // Segments are opened and made while there is hardly a file left.
        if (n % 20 === 0) statuses.add(await putThrough(writes));
      }
      for (const client of clients) client[Symbol.dispose]();
      // The second one has a connection that nobody needs any more.
      const afterwards = [await putThrough(writes), await writes.put()];
      const found = {
        statuses: [...statuses],
        afterwards,
        health: await writes.health(),
        isRead: await writes.readsAreServed(),
      };
      return [
        ...differences({ statuses: [201], afterwards: [201, 201], health: 'ok', isRead: true }, found),
        ...(await server.verdictAfterKill()),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** The client's own connection may be the idle one that was closed to make room: then it takes another. */
async function putThrough(writes: RawWrites): Promise<number> {
  for (let tries = 0; tries < 5; tries += 1) {
    const status = await writes.put(100_000);
    if (status !== 0) return status;
  }
  return 0;
}
