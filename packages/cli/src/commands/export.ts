// `tidemark export`: the documents of a container as JSONL, exactly as the server has them. It is no snapshot: what is written
// meanwhile may be in it or not.

import { once } from 'node:events';
import type { WriteStream } from 'node:fs';
import { createWriteStream, existsSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentPage, RestContainer } from '@tidemark/client';
import { onOneLine, withoutMembers } from '@tidemark/client';
import { isSystemProperty } from '@tidemark/model';
import type { Call } from '../call.ts';
import { isOn, numberOption, textOption } from '../call.ts';
import { connect, containerNames } from '../connect.ts';
import { stateMs } from '../limits.ts';
import { Progress, Silence } from '../progress.ts';
import { checkState, howToGoOn, StateFile } from '../state-file.ts';
import { count, counted, print, quoted, say, size, stopSignal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

const pageDefault = 1_000;
const pageMax = 10_000;

interface Reached {
  readonly documents: number;
  readonly bytes: number;
  /** Undefined at the beginning and, once something was read, at the end. */
  readonly continuation: string | undefined;
}

export async function run(call: Call): Promise<number> {
  const [name, path = '-'] = call.arguments;
  const { database, container: id } = containerNames(name);
  checkIsNoFolder(path, id);
  const client = connect(call);
  const container = client.container(database, id);
  const { _rid: rid } = await container.read({ retryMsMax: 0 });
  const isFile = path !== '-';
  if (isFile && textOption(call, 'continuation') !== undefined) {
    throw new UsageError('--continuation is for standard output; an export to a file goes on by its state file.');
  }
  const state = isFile ? new StateFile(textOption(call, 'state') ?? `${path}.export-state`) : undefined;
  const target = { what: 'export', target: `${client.endpoint} ${name}`, rid, isBare: isOn(call, 'bare') };
  const start = isFile ? startOf(path, state as StateFile, target, isOn(call, 'restart')) : inputStart(call);
  const copy = new Export(call, container, isFile ? await openFile(path, start.bytes) : undefined, state, target);
  const { documents, bytes, isComplete } = await copy.run(start);
  const report = { documents, bytes, isComplete };
  // Standard output is the documents' when there is no file.
  if (isFile && isOn(call, 'json')) await print(`${JSON.stringify(report)}\n`);
  else say(`${counted(documents, 'documents')}, ${size(bytes)}${isFile ? ` in ${path}` : ''}`);
  return isComplete ? 0 : 1;
}

/** Writing over a folder is not what anybody means, and `--restart` would not do it either. */
function checkIsNoFolder(path: string, id: string): void {
  if (!/[/\\]$/.test(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const advice = `name a file in it, as ${quoted(join(path, `${id}.jsonl`))}`;
  throw new UsageError(`The file cannot be written: ${path} is a folder; ${advice}`);
}

/** Goes on after what the state file says, cutting off what came after it. */
function startOf(
  path: string,
  state: StateFile,
  target: Readonly<Record<string, unknown>>,
  isRestart: boolean,
): Reached {
  const saved = isRestart ? undefined : state.read();
  if (saved === undefined) {
    if (existsSync(path) && statSync(path).size > 0 && !isRestart) {
      throw new UsageError(`${path} is there already; --restart writes over it.`);
    }
    return { documents: 0, bytes: 0, continuation: undefined };
  }
  checkState(saved, target, state.path);
  const bytes = Number(saved['bytes']);
  if (!existsSync(path) || statSync(path).size < bytes) {
    throw new UsageError(`${path} is shorter than its state file says; --restart begins anew.`);
  }
  return { documents: Number(saved['documents']), bytes, continuation: String(saved['continuation']) };
}

function inputStart(call: Call): Reached {
  return { documents: 0, bytes: 0, continuation: textOption(call, 'continuation') };
}

async function openFile(path: string, bytes: number): Promise<WriteStream> {
  try {
    if (existsSync(path)) truncateSync(path, bytes);
    const file = createWriteStream(path, { flags: 'a' });
    await once(file, 'open');
    // What goes wrong later is told to the write that it happened to.
    return file.on('error', () => {});
  } catch (error) {
    throw new UsageError(`The file cannot be written: ${(error as Error).message}`); // The file system throws Errors.
  }
}

class Export {
  readonly #container: RestContainer;
  readonly #file: WriteStream | undefined;
  readonly #state: StateFile | undefined;
  readonly #target: Readonly<Record<string, unknown>>;
  readonly #isBare: boolean;
  readonly #isRestart: boolean;
  readonly #itemsMax: number;
  readonly #progress = new Progress('export');
  #savedMs = Number.NEGATIVE_INFINITY;

  constructor(
    call: Call,
    container: RestContainer,
    file: WriteStream | undefined,
    state: StateFile | undefined,
    target: Readonly<Record<string, unknown>>,
  ) {
    this.#container = container;
    this.#file = file;
    this.#state = state;
    this.#target = target;
    this.#isBare = isOn(call, 'bare');
    this.#isRestart = isOn(call, 'restart');
    this.#itemsMax = numberOption(call, 'page', { min: 1, max: pageMax }) ?? pageDefault;
  }

  async run(start: Reached): Promise<Reached & { readonly isComplete: boolean }> {
    const signal = stopSignal();
    const silence = new Silence(this.#progress);
    let reached = start;
    let isComplete = false;
    try {
      while (!isComplete && !signal.aborted) {
        const { continuation } = reached;
        const page = await silence.during(() => this.#read(continuation, signal));
        if (page === undefined) break;
        reached = await this.#take(page, reached);
        isComplete = reached.continuation === undefined;
      }
      if (!isComplete) this.#save(reached);
    } catch (error) {
      this.#progress.end();
      this.#sayHowToGoOn(reached.continuation);
      throw error;
    } finally {
      silence.close();
    }
    this.#progress.end();
    await this.#close();
    if (isComplete) this.#state?.remove();
    else this.#sayHowToGoOn(reached.continuation);
    return { ...reached, isComplete };
  }

  /** Undefined when it was stopped. A page that is under way can be asked for again: nobody has to wait for it. */
  async #read(continuation: string | undefined, signal: AbortSignal): Promise<DocumentPage | undefined> {
    try {
      return await this.#container.documents({ continuation, itemsMax: this.#itemsMax, signal });
    } catch (error) {
      if (error === signal.reason) return undefined;
      throw error;
    }
  }

  async #take(page: DocumentPage, before: Reached): Promise<Reached> {
    const lines = this.#linesOf(page);
    await this.#write(lines.bytes);
    const documents = before.documents + lines.count;
    const bytes = before.bytes + lines.bytes.length;
    this.#progress.show(`${count(documents)} documents, ${size(bytes)}`);
    const reached = { documents, bytes, continuation: page.continuation };
    if (performance.now() - this.#savedMs >= stateMs) this.#save(reached);
    return reached;
  }

  #linesOf(page: DocumentPage): { readonly bytes: Buffer; readonly count: number } {
    const pieces: Buffer[] = [];
    const items = page.itemBytes();
    for (const item of items)
      pieces.push(onOneLine(this.#isBare ? withoutMembers(item, isSystemProperty) : item), lineFeed);
    return { bytes: Buffer.concat(pieces), count: items.length };
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#file === undefined) return print(bytes);
    const file = this.#file;
    // The state is written after this: it never says more than the file holds.
    await new Promise<void>((resolve, reject) => {
      file.write(bytes, (error) => (error == null ? resolve() : reject(error)));
    });
  }

  #save({ documents, bytes, continuation }: Reached): void {
    if (continuation === undefined) return;
    this.#savedMs = performance.now();
    this.#state?.write({ ...this.#target, documents, bytes, continuation });
  }

  #sayHowToGoOn(continuation: string | undefined): void {
    if (this.#state !== undefined) say(`The export has stopped; ${howToGoOn(this.#isRestart)}`);
    else if (continuation !== undefined) say(`The export has stopped; go on with --continuation '${continuation}'`);
  }

  #close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#file === undefined) resolve();
      else this.#file.end(resolve);
    });
  }
}

const lineFeed: Buffer = Buffer.from('\n');
