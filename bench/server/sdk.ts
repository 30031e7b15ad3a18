// The same through the official client, for those who want to know what they will see. The client itself costs more than the
// server, so nothing is asked of these figures.

import { CosmosClient } from '@azure/cosmos';
import { wellKnownKey } from '@tidemark/server';
import { drive, perSecond } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { idOf, partitionKeyOf } from '../engine/documents.ts';
import { containerId, databaseId } from './requests.ts';
import type { ServerSetting } from './setting.ts';

const writers = 64;

export async function measureSdk(setting: ServerSetting): Promise<void> {
  const { report, options, server, chance } = setting;
  showProgress('through @azure/cosmos');
  report.section('through @azure/cosmos, one process, 64 calls in flight');
  const client = new CosmosClient({ endpoint: `http://127.0.0.1:${server.port}`, key: wellKnownKey });
  const container = client.database(databaseId).container(containerId);
  const text = 'tidemark '.repeat(100);
  const upserts = await drive({ writers, turnMs: options.turnMs * 2 }, () => {
    const n = chance(options.documents);
    return container.items.upsert({ id: idOf(n), pk: partitionKeyOf(n), text });
  });
  const reads = await drive({ writers, turnMs: options.turnMs * 2 }, () => {
    const n = chance(options.documents);
    return container.item(idOf(n), partitionKeyOf(n)).read();
  });
  client.dispose();
  report.add({ id: 'sdk-upserts', label: 'upserts', figure: perSecond(upserts), unit: '/s' });
  report.add({ id: 'sdk-reads', label: 'point reads', figure: perSecond(reads), unit: '/s' });
}
