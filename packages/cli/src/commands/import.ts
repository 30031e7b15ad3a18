// `tidemark import`: the documents of a JSONL file into a container, on any Cosmos endpoint.

import type { RestClient, RestContainer } from '@tidemark/client';
import { DatabaseError, isDatabaseError, validatePartitionKeyDefinition } from '@tidemark/model';
import type { Call } from '../call.ts';
import { isOn, numberOption, textOption } from '../call.ts';
import { connect, containerNames } from '../connect.ts';
import type { ImportReport } from '../import-run.ts';
import { ImportRun } from '../import-run.ts';
import { fileSource, inputSource } from '../import-source.ts';
import { hashDefinition, readKeyPaths } from '../key-paths.ts';
import { howToGoOn, StateFile } from '../state-file.ts';
import { count, counted, print, say, shown, stopSignal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

const concurrencyDefault = 8;
const concurrencyMax = 64;

export async function run(call: Call): Promise<number> {
  const [name, path = '-'] = call.arguments;
  const { database, container: id } = containerNames(name);
  const concurrency = numberOption(call, 'concurrency', { min: 1, max: concurrencyMax }) ?? concurrencyDefault;
  const source = path === '-' ? inputSource() : fileSource(path);
  const statePath = textOption(call, 'state') ?? (path === '-' ? undefined : `${path}.import-state`);
  const state = statePath === undefined ? undefined : new StateFile(statePath);
  if (isOn(call, 'restart')) state?.remove();
  const client = connect(call);
  const container = await findContainer(call, client, database, id);
  const definition = await container.read();
  const run = new ImportRun({
    container,
    partitionKey: validatePartitionKeyDefinition(definition['partitionKey']),
    source,
    state,
    target: `${client.endpoint} ${name}`,
    rid: definition['_rid'],
    isCreate: isOn(call, 'create'),
    concurrency,
    signal: stopSignal(),
  });
  const report = await run.run().catch((error: unknown) => {
    // The same command would be refused in the same way.
    const isRefused = error instanceof UsageError;
    if (state !== undefined && !isRefused) say(`The import has stopped; ${howToGoOn(isOn(call, 'restart'))}`);
    throw error;
  });
  await tell(call, report, state);
  return report.isComplete && report.failed === 0 ? 0 : 1;
}

async function findContainer(call: Call, client: RestClient, database: string, id: string): Promise<RestContainer> {
  const path = textOption(call, 'partitionKey');
  const paths = path === undefined ? undefined : readKeyPaths(path);
  const throughput = numberOption(call, 'throughput', { min: 400, max: 1_000_000 });
  const container = client.container(database, id);
  try {
    const { partitionKey } = await container.read({ retryMsMax: 0 });
    const found = validatePartitionKeyDefinition(partitionKey).paths.join(',');
    if (path === undefined || path === found) return container;
    const advice = 'leave --partition-key out, or import into another container.';
    const message = `The container ${database}/${id} has the partition key ${found}, not ${path}: ${advice}`;
    throw new DatabaseError('bad-request', message);
  } catch (error) {
    const isMissing = isDatabaseError(error) && (error.code === 'not-found' || error.code === 'container-not-found');
    if (!isMissing || paths === undefined) throw error;
  }
  const partitionKey = hashDefinition(paths);
  await client.createDatabaseIfNotExists(database);
  const definition: { readonly id: string } & Record<string, unknown> = { id, partitionKey };
  return client.createContainerIfNotExists(database, definition, { throughput });
}

async function tell(call: Call, report: ImportReport, state: StateFile | undefined): Promise<void> {
  const { created, replaced, failed, failures, isComplete } = report;
  if (isOn(call, 'json')) await print(`${JSON.stringify(report)}\n`);
  else {
    const written = `${counted(created + replaced, 'documents')} written (${count(created)} new, ${count(replaced)} replaced)`;
    await print(`${written}, ${count(failed)} failed\n`);
  }
  for (const { line, status, message } of failures.toSorted((a, b) => a.line - b.line))
    say(`line ${line}: ${status} ${shown(message)}`);
  if (failed > failures.length) say(`and ${count(failed - failures.length)} more.`);
  if (isComplete) return;
  say(state === undefined ? 'Interrupted.' : `Interrupted; ${howToGoOn(isOn(call, 'restart'))}`);
}
