// One size of databases: everybody is started and filled, and answers every question, first rightly and then in turns.

import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChildWithAnswers } from '../common/child-with-answers.ts';
import type { Standing } from '../common/contest.ts';
import { contest } from '../common/contest.ts';
import { showProgress } from '../common/progress.ts';
import { warmFiles } from '../common/warm.ts';
import { versionOfPackage } from '../peers/install/peers-folder.ts';
import { startPostgres } from '../peers/servers/postgres.ts';
import { startVercel } from '../peers/servers/vercel.ts';
import { ServerProcess } from '../server/process.ts';
import type { ContestantId } from './contestants.ts';
import { contestantOf } from './contestants.ts';
import type { Answer, Ask, LoadConfig } from './load-protocol.ts';
import type { QueryBenchOptions } from './options.ts';
import type { Answers, QuestionId } from './questions.ts';
import { answersFor, checkAnswer, questionOf } from './questions.ts';
import { sqliteVersion } from './subjects/sqlite.ts';
import { fillFolder } from './subjects/tidemark-embedded.ts';

/** What was found at one size. */
export interface SizeFound {
  readonly documents: number;
  readonly standings: ReadonlyMap<QuestionId, ReadonlyMap<string, Standing>>;
  readonly versions: ReadonlyMap<ContestantId, string>;
  /** Why somebody has no figure: for one question, or for none. */
  readonly reasons: ReadonlyMap<string, string>;
}

export function reasonKey(id: ContestantId, question?: QuestionId): string {
  return question === undefined ? id : `${id} ${question}`;
}

interface Running {
  readonly id: ContestantId;
  readonly load: ChildWithAnswers;
  readonly port: number;
}

/** `missing`: who could not be brought, and why. `beside` is called while everybody is there, with the port of Tidemark's server. */
export async function runSize(
  documents: number,
  options: QueryBenchOptions,
  missing: ReadonlyMap<ContestantId, string>,
  beside: (port: number) => Promise<void>,
): Promise<SizeFound> {
  await using started = new AsyncDisposables();
  using _ = endedBySignals(started);
  const reasons = new Map<string, string>(missing);
  const versions = new Map<ContestantId, string>();
  const running: Running[] = [];
  const folder = join(options.folder, String(documents));
  await fillTidemark(folder, documents, options.contestants);
  for (const id of options.contestants) {
    if (reasons.has(id)) continue;
    const { name, documentsMax = Number.POSITIVE_INFINITY } = contestantOf(id);
    if (documents > documentsMax) {
      reasons.set(id, `it is asked of no more than ${documentsMax} documents`);
      continue;
    }
    showProgress(`${documents} documents: starting and filling ${name}`);
    try {
      running.push(await start(id, documents, join(folder, id), started, versions));
    } catch (error) {
      reasons.set(id, `it could not be started: ${messageOf(error)}`);
    }
  }
  warmFiles(folder);
  const standings = new Map<QuestionId, ReadonlyMap<string, Standing>>();
  showProgress(`${documents} documents: working out the right answers`);
  const answers = answersFor(documents);
  for (const question of options.questions) {
    const taking = await thoseWhoAnswer(question, running, answers, reasons);
    try {
      standings.set(question, await takeTurns(question, documents, taking, options));
    } catch (error) {
      // The figures of the other questions are still wanted.
      for (const { id } of taking) reasons.set(reasonKey(id, question), `its turns ended: ${messageOf(error)}`);
    }
  }
  const server = running.find(({ id }) => id === 'sdk');
  if (server !== undefined) await beside(server.port);
  return { documents, standings, versions, reasons };
}

/** The server works on a copy of the folder that the embedded one opens. */
async function fillTidemark(folder: string, documents: number, wanted: readonly ContestantId[]): Promise<void> {
  const folderOf = (id: ContestantId): string => join(folder, id, 'data');
  const isWanted = (id: ContestantId): boolean => wanted.includes(id);
  mkdirSync(folder, { recursive: true });
  if (isWanted('embedded') || isWanted('sdk')) await fillFolder(folderOf('embedded'), documents, 1);
  if (isWanted('sdk')) cpSync(folderOf('embedded'), folderOf('sdk'), { recursive: true });
  if (isWanted('embedded-4')) await fillFolder(folderOf('embedded-4'), documents, 4);
}

async function start(
  id: ContestantId,
  documents: number,
  folder: string,
  started: AsyncDisposables,
  versions: Map<ContestantId, string>,
): Promise<Running> {
  mkdirSync(folder, { recursive: true });
  const { port, version } = await startServer(id, folder, started);
  versions.set(id, version);
  const place = id === 'embedded' || id === 'embedded-4' ? join(folder, 'data') : folder;
  const config: LoadConfig = { id, documents, folder: place, port };
  const load = await ChildWithAnswers.start(new URL('./load-child.js', import.meta.url), [JSON.stringify(config)]);
  started.add({ [Symbol.asyncDispose]: () => load.close() });
  await asked(load, { kind: 'fill' });
  return { id, load, port };
}

async function startServer(
  id: ContestantId,
  folder: string,
  started: AsyncDisposables,
): Promise<{ readonly port: number; readonly version: string }> {
  switch (id) {
    case 'sdk': {
      const server = started.add(await ServerProcess.start(['--data', join(folder, 'data')]));
      return { port: server.port, version: ownVersion() };
    }
    case 'postgres':
    case 'vercel': {
      const place = { folder, prefix: [] };
      const { daemon, port = 0, version } = await (id === 'postgres' ? startPostgres(place) : startVercel(place));
      if (daemon !== undefined) started.add(daemon);
      return { port, version };
    }
    case 'sqlite':
      return { port: 0, version: `${sqliteVersion()} (libsql ${versionOfPackage('libsql')})` };
    default:
      return { port: 0, version: ownVersion() };
  }
}

/** Whoever answers wrongly, or not at all, has no figure. */
async function thoseWhoAnswer(
  question: QuestionId,
  running: readonly Running[],
  answers: Answers,
  reasons: Map<string, string>,
): Promise<readonly Running[]> {
  if (question === 'point') return running;
  const able: Running[] = [];
  for (const each of running) {
    showProgress(`${questionOf(question).label}: is the answer of ${contestantOf(each.id).name} right?`);
    try {
      const answer = await asked(each.load, { kind: 'answer', question });
      if (answer.kind === 'answer') checkAnswer(question, answer.answer, answers);
      able.push(each);
    } catch (error) {
      reasons.set(reasonKey(each.id, question), messageOf(error));
    }
  }
  return able;
}

function takeTurns(
  question: QuestionId,
  documents: number,
  taking: readonly Running[],
  { rounds, turnMs }: QueryBenchOptions,
): Promise<ReadonlyMap<string, Standing>> {
  const contestants = taking.map(({ id, load }) => ({
    name: id,
    turn: async (round: number) => {
      const at = round < 0 ? 'warming up' : `round ${round + 1} of ${rounds}`;
      showProgress(`${documents} documents: ${questionOf(question).label}, ${at}: ${contestantOf(id).name}`);
      const answer = await asked(load, { kind: 'turn', question, turnMs });
      if (answer.kind !== 'turn') throw new Error(`The load answered with ${answer.kind}.`);
      return answer.drive;
    },
  }));
  return contest(contestants, rounds);
}

async function asked(load: ChildWithAnswers, ask: Ask): Promise<Answer> {
  const answer = (await load.ask(ask)) as Answer; // Of our own protocol.
  if (answer.kind === 'failed') throw new Error(answer.message);
  return answer;
}

function ownVersion(): string {
  const manifest = fileURLToPath(new URL('../../../package.json', import.meta.url));
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 300);
}

/** Nobody's server may outlive the run. */
function endedBySignals(started: AsyncDisposables): Disposable {
  const end = (): void => void started[Symbol.asyncDispose]().finally(() => process.exit(1));
  for (const signal of endSignals) process.once(signal, end);
  return {
    [Symbol.dispose]: () => {
      for (const signal of endSignals) process.off(signal, end);
    },
  };
}

const endSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];

/** What was started last ends first. */
class AsyncDisposables implements AsyncDisposable {
  readonly #all: AsyncDisposable[] = [];

  add<T extends AsyncDisposable>(one: T): T {
    this.#all.push(one);
    return one;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    showProgress('stopping everybody');
    for (const each of this.#all.splice(0).reverse()) await each[Symbol.asyncDispose]();
  }
}
