// Changes that could not be handled, in a container of the user's choice. Three kinds of documents, told apart by their ids:
//
//   <group>.dead.<key>.<lsn>.<change>   a letter: the change as it came, and why it is here
//   <group>.held.<key>                  later changes of this key wait in letters too
//   <group>.again.<target>              somebody wants a letter, or all letters of a key, to be handled again
//
// <key> and <change> are digests of the lane key and the identity, <lsn> has 16 digits: the same change always has the same id, and the
// letters of a key are found by a prefix, in their order.

import { isDatabaseError } from '@tidemark/model';
import type { DocumentBody, DocumentStore, StoredDocument } from '../store/document-store.ts';
import { digest } from './digest.ts';

export type LetterReason =
  /** The handler failed as often as it may. */
  | 'handler'
  | 'unparseable'
  | 'schema'
  /** An earlier change of its key is parked. */
  | 'behind';

export interface DeadLetter {
  readonly id: string;
  readonly reason: LetterReason;
  readonly state: 'parked' | 'replay';
  readonly itemId: string;
  readonly laneKey: string;
  readonly identity: string;
  readonly lsn: number | undefined;
  readonly error: string;
  /** Times that it was given to the handler. */
  readonly attempts: number;
  readonly parkedAtMs: number;
  readonly leaseToken: string;
  /** Lower bound of the lease's keys: who owns that point owns letters without a key. */
  readonly keysMin: string;
  readonly epoch: number;
  readonly instance: string;
  /** Of the page that it came with. */
  readonly position: string;
  /** As it came from the feed: a document, or the envelope of a version. Undefined where only `raw` is there. */
  readonly item: Readonly<Record<string, unknown>> | undefined;
  /** What could not be parsed or failed its schema, in base64. */
  readonly raw: string | undefined;
}

export type NewLetter = Omit<DeadLetter, 'id' | 'state'>;

export interface StoredLetter extends DeadLetter {
  readonly stored: StoredDocument;
}

/** Somebody asked for it; `letterId` undefined means all letters of the key. */
export interface ReplayRequest {
  readonly letterId: string | undefined;
  readonly laneKey: string;
  readonly keysMin: string;
  /** Letters parked later stay where they are. */
  readonly stopAtMs: number | undefined;
  readonly stored: StoredDocument;
}

export class DeadLetters {
  readonly #store: DocumentStore;
  readonly #group: string;

  constructor(store: DocumentStore, group: string) {
    this.#store = store;
    this.#group = group;
  }

  /** For people. */
  get name(): string {
    return this.#store.name;
  }

  /** The same change twice is one letter. */
  async park(letter: NewLetter, signal?: AbortSignal): Promise<string> {
    const id = this.#letterId(letter);
    await this.#createOnce({ id, ...withoutUndefined(letter) }, signal);
    return id;
  }

  async holdKey(laneKey: string, signal?: AbortSignal): Promise<void> {
    await this.#createOnce({ id: this.#heldId(laneKey), laneKey }, signal);
  }

  async heldKeys(signal?: AbortSignal): Promise<string[]> {
    const documents = await this.#store.list(`${this.#group}.held.`, signal);
    return documents.map(({ body }) => body['laneKey']).filter((laneKey) => typeof laneKey === 'string');
  }

  async releaseKey(laneKey: string, signal?: AbortSignal): Promise<void> {
    const document = await this.#store.read(this.#heldId(laneKey), { signal });
    if (document !== undefined) await this.remove(document, signal);
  }

  /** Of one key, in the order of their LSNs. */
  async letters(laneKey: string, signal?: AbortSignal): Promise<StoredLetter[]> {
    const documents = await this.#store.list(`${this.#group}.dead.${digest(laneKey)}.`, signal);
    const letters = documents.map(letterOf).filter((letter) => letter !== undefined);
    return letters
      .filter((letter) => letter.laneKey === laneKey)
      .sort((a, b) => (a.lsn ?? 0) - (b.lsn ?? 0) || (a.id < b.id ? -1 : 1));
  }

  /** All of the group, a page at a time; those of one key together and in the order of their LSNs only within a page. */
  async *pages(signal?: AbortSignal): AsyncGenerator<StoredLetter[], void, undefined> {
    const prefix = `${this.#group}.dead.`;
    const pages = this.#store.pages?.(prefix, signal) ?? [await this.#store.list(prefix, signal)];
    for await (const page of pages) yield page.map(letterOf).filter((letter) => letter !== undefined);
  }

  async letter(id: string, signal?: AbortSignal): Promise<StoredLetter | undefined> {
    const document = await this.#store.read(id, { signal });
    return document === undefined ? undefined : letterOf(document);
  }

  /** It was tried again, in vain. */
  async refuse(letter: StoredLetter, error: string, attempts: number, signal?: AbortSignal): Promise<void> {
    await this.#store.replace(letter.stored, { ...letter.stored.body, error, attempts }, signal);
  }

  async ask(
    letter: DeadLetter,
    isWholeKey: boolean,
    stopAtMs: number | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    const target = isWholeKey ? `key/${letter.laneKey}` : letter.id;
    const { laneKey, keysMin } = letter;
    const letterId = isWholeKey ? undefined : letter.id;
    const id = `${this.#group}.again.${digest(target)}`;
    await this.#createOnce({ id, ...withoutUndefined({ laneKey, keysMin, letterId, stopAtMs }) }, signal);
  }

  async requests(signal?: AbortSignal): Promise<ReplayRequest[]> {
    const documents = await this.#store.list(`${this.#group}.again.`, signal);
    return documents.map((stored) => {
      const { letterId, laneKey, keysMin, stopAtMs } = stored.body;
      return {
        letterId: typeof letterId === 'string' ? letterId : undefined,
        laneKey: text(laneKey),
        keysMin: text(keysMin),
        stopAtMs: typeof stopAtMs === 'number' ? stopAtMs : undefined,
        stored,
      };
    });
  }

  /** Gone is gone, whoever did it. What has changed since it was listed, or may be gone already, is looked at again. */
  async remove(document: StoredDocument, signal?: AbortSignal): Promise<void> {
    let stored: StoredDocument | undefined = document;
    for (let tries = 1; stored !== undefined; tries += 1) {
      try {
        return await this.#store.remove(stored, signal);
      } catch (error) {
        const code = isDatabaseError(error) ? error.code : undefined;
        if (code === 'not-found') return;
        if ((code !== 'precondition-failed' && code !== 'outcome-unknown') || tries === removeTriesMax) throw error;
      }
      stored = await this.#store.read(document.id, { key: document.key, signal });
    }
  }

  async #createOnce(body: DocumentBody & { readonly id: string }, signal?: AbortSignal): Promise<void> {
    try {
      await this.#store.create(body, signal);
    } catch (error) {
      if (!isDatabaseError(error) || error.code !== 'conflict') throw error;
    }
  }

  #letterId({ laneKey, lsn, identity }: NewLetter): string {
    const order = String(lsn ?? 0).padStart(16, '0');
    return `${this.#group}.dead.${digest(laneKey)}.${order}.${digest(identity)}`;
  }

  #heldId(laneKey: string): string {
    return `${this.#group}.held.${digest(laneKey)}`;
  }
}

/** A letter that changes faster than that is somebody else's matter. */
const removeTriesMax = 3;

function letterOf(stored: StoredDocument): StoredLetter | undefined {
  const { laneKey, identity, lsn, item, raw, attempts, parkedAtMs, epoch, ...rest } = stored.body;
  if (typeof laneKey !== 'string' || typeof identity !== 'string') return undefined;
  return {
    id: stored.id,
    state: 'parked',
    laneKey,
    identity,
    lsn: typeof lsn === 'number' ? lsn : undefined,
    // Both written by `park`, which wrote the two above.
    item: item as DeadLetter['item'],
    raw: typeof raw === 'string' ? raw : undefined,
    attempts: number(attempts),
    parkedAtMs: number(parkedAtMs),
    epoch: number(epoch),
    reason: rest['reason'] as LetterReason,
    itemId: text(rest['itemId']),
    error: text(rest['error']),
    leaseToken: text(rest['leaseToken']),
    keysMin: text(rest['keysMin']),
    instance: text(rest['instance']),
    position: text(rest['position']),
    stored,
  };
}

/** Anybody may have edited a letter: what is not what it should be counts as missing. */
function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function withoutUndefined(body: object): DocumentBody {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
