// Many servers in one process: all are started, asked and closed at once. A process in which anything is left ends only when
// it is killed.

import { startServer } from '@tidemark/server';
import { rawFetch } from '../harness.ts';

const count = Number(process.argv[2]);
const servers = await Promise.all(Array.from({ length: count }, () => startServer({ memory: true, port: 0 })));
const statuses = await Promise.all(
  servers.map(async ({ url }, i) => {
    const created = await rawFetch(url, 'POST', '/dbs', { body: { id: `db${i}` } });
    const listed = await rawFetch(url, 'GET', '/dbs', {});
    return created.status === 201 && listed.json._count === 1 && listed.json.Databases[0].id === `db${i}`;
  }),
);
await Promise.all(servers.map((server) => server.close()));
const ports = new Set(servers.map(({ port }) => port)).size;
process.stdout.write(JSON.stringify({ ports, served: statuses.filter((isRight) => isRight).length }));
