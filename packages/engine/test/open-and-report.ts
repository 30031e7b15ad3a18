// A process of its own that opens a folder, says how it went in one line of JSON, and keeps it open until told to end.

import { isDatabaseError } from '@tidemark/model';
import { openDatabase } from '../src/database.ts';

const folder = process.argv[2] as string;
try {
  let isRebuilt = false;
  const database = await openDatabase({
    folder,
    maintenance: false,
    onRebuildProgress: () => {
      isRebuilt = true;
    },
  });
  const names = database
    .databases()
    .flatMap(({ id }) => database.containers(id).map((container) => [id, container.id] as const));
  let documents = 0;
  for (const [inside, id] of names) {
    const feed = database.container(inside, id).changes({ itemsMax: 1_000 });
    for (let page = await feed.page(); !page.isDrained; page = await feed.page()) documents += page.count;
  }
  process.send?.({ code: 'opened', documents, isRebuilt, pid: process.pid });
  process.once('message', () => void database.close().then(() => process.disconnect()));
} catch (error) {
  if (!isDatabaseError(error)) throw error;
  process.send?.({ code: error.code, message: error.message, pid: process.pid }, () => process.disconnect());
}
