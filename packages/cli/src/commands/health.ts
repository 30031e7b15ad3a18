// `tidemark health`: whether a server can do its work. Exit code 1 when it cannot, or when there is none.

import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { connect } from '../connect.ts';
import { adminCall } from '../jobs.ts';
import { count, counted, print, size, table } from '../terminal.ts';

const answerMsMax = 10_000;

export async function run(call: Call): Promise<number> {
  const client = connect(call);
  const options = { retryMsMax: 0, timeoutMs: answerMsMax, accepts: [503] };
  const health = await adminCall(client, () => client.admin('GET', ['health'], undefined, options));
  if (isOn(call, 'json')) await print(`${JSON.stringify(health)}\n`);
  else await print(table(rowsOf(health, client.endpoint)));
  return health['status'] === 'ok' ? 0 : 1;
}

type Part = Readonly<Record<string, unknown>>;

/** Without the right key the server says its status and no more. */
function rowsOf(health: Part, endpoint: string): string[][] {
  const part = (name: string): Part | undefined => health[name] as Part | undefined;
  const number = (from: Part | undefined, name: string): number => Number(from?.[name] ?? 0);
  const rows = [['status', String(health['status']), endpoint]];
  const engine = part('engine');
  if (engine !== undefined && engine['status'] !== 'ok')
    rows.push(['engine', `${engine['status']}: ${engine['message']}`]);
  if (health['version'] !== undefined) {
    rows.push([
      'version',
      `${health['version']} on Node ${health['node']}, up ${count(Number(health['uptimeSeconds']))} s`,
    ]);
  }
  const [log, index, disk, memory] = [part('log'), part('index'), part('disk'), part('memory')];
  if (log !== undefined)
    rows.push(['log', `${size(number(log, 'bytes'))} in ${counted(number(log, 'segments'), 'segments')}`]);
  if (index !== undefined) rows.push(['index', `${counted(number(index, 'behind'), 'groups')} behind the log`]);
  if (disk !== undefined) {
    // Not every file system tells.
    const room = `${size(number(disk, 'freeBytes'))} free of ${size(number(disk, 'totalBytes'))}`;
    rows.push(['disk', disk['freeBytes'] === undefined ? 'not known' : room, String(disk['folder'])]);
  }
  if (part('feed') !== undefined) rows.push(['feed', `${count(number(part('feed'), 'waiters'))} waiting`]);
  if (memory !== undefined) rows.push(['memory', `${size(number(memory, 'rssBytes'))} resident`]);
  return rows;
}
