import { rmSync } from 'node:fs';
import { Database } from '@tidemark/engine';
import { EmbeddedEngine, lmdbIndexProvider, nodeFiles, systemEnvironment } from '@tidemark/engine/internal';

const folder = process.argv[2] as string;
if (process.argv[3] === 'rebuild') rmSync(`${folder}/index`, { recursive: true, force: true });
const environment = systemEnvironment();
const files = nodeFiles(folder);
const provider = lmdbIndexProvider(folder, files, environment);
const loud = {
  ...provider,
  discard: async () => {
    console.log('discard');
    await provider.discard();
  },
};
const engine = await EmbeddedEngine.open({
  files,
  index: loud,
  environment,
  segments: { sync: 'full', segmentBytesMin: 16384, segmentBytesMax: 65536 },
  isRestored: false,
});
const db = new Database(engine, { files, environment, runsMaintenance: false, release: async () => {} });
for (const name of ['plain', 'kept']) {
  const feed = db.container('d', name).changes({ itemsMax: 1000 });
  const seen = new Map<string, number[]>();
  for (let page = await feed.page(); !page.isDrained; page = await feed.page())
    for (const d of JSON.parse(`[${Buffer.concat(page.pieces)}]`))
      seen.set(`${d.pk}/${d.id}`, [...(seen.get(`${d.pk}/${d.id}`) ?? []), d._lsn]);
  console.log(name, seen.size, [...seen].filter(([, l]) => l.length > 1).length);
}
const r = await db.check();
console.log(r.isClean, r.problems.length, r.problems.slice(0, 5));
await db.close();
