// From the items of a page to what handlers get, and to what lanes and dead letters need to know of one of them.
//
// The way of every change is short: its value goes to the handler as it was parsed. A handler may do with it what it likes, so what tells
// one change from another is read off before; texts are made of it only for those who need them: a change that failed, several lanes,
// parked keys.

import type { PartitionKeyValues } from '@tidemark/model';
import { extractPartitionKey, isDatabaseError, parsePartitionKeyPath } from '@tidemark/model';
import type { Delivery, VersionChange } from '../feed/change.ts';
import type { FeedItem, FeedMode, FeedPage, SourceIdentity } from '../feed/feed-source.ts';
import { digest } from './digest.ts';
import type { StandardSchema, Verdict } from './schema.ts';
import { validate } from './schema.ts';
import { decodeVersion } from './versions.ts';

export interface InvalidItem {
  readonly raw: Uint8Array;
  readonly reason: string;
  /** `schema`: it was parsed, and refused by the user's validator. */
  readonly kind: 'unparseable' | 'schema';
}

export interface DecodedPage {
  /** One for each item of the page; undefined where it is invalid. */
  readonly values: readonly unknown[];
  readonly invalid: ReadonlyMap<number, InvalidItem>;
}

export class Decoder {
  readonly #identity: SourceIdentity;
  readonly #mode: FeedMode;
  readonly #schema: StandardSchema | undefined;
  readonly #paths: readonly (readonly string[])[];

  constructor(identity: SourceIdentity, mode: FeedMode, schema: StandardSchema | undefined) {
    this.#identity = identity;
    this.#mode = mode;
    this.#schema = schema;
    this.#paths = identity.partitionKeyPaths.map(parsePartitionKeyPath);
  }

  decode(page: FeedPage): DecodedPage | Promise<DecodedPage> {
    const { items } = page;
    const values: unknown[] = new Array(items.length);
    let invalid: Map<number, InvalidItem> | undefined;
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index] as FeedItem; // Below the length.
      const refused = 'raw' in item ? { raw: item.raw, reason: item.reason, kind: 'unparseable' as const } : undefined;
      const value = 'raw' in item ? undefined : this.#valueOf(item.value);
      if (value !== undefined) values[index] = value;
      else {
        invalid ??= new Map();
        invalid.set(index, refused ?? this.#unknownEnvelope(item));
      }
    }
    if (this.#schema === undefined) return { values, invalid: invalid ?? none };
    return this.#validated(items, values, invalid ?? new Map(), this.#schema);
  }

  /** A change that was parked, as a handler gets it today: what could not be read then may be readable now. */
  async valueOfLetter(letter: { readonly item: unknown; readonly raw: string | undefined }): Promise<Verdict> {
    const item = letter.raw === undefined ? letter.item : parsed(Buffer.from(letter.raw, 'base64').toString('utf8'));
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return { reason: 'It is not a JSON object.' };
    const page = await this.decode({ ...emptyPage, items: [{ value: item as Readonly<Record<string, unknown>> }] });
    const invalid = page.invalid.get(0);
    return invalid === undefined ? { value: page.values[0] } : { reason: invalid.reason };
  }

  /** What tells it from others, while nobody has changed it. Undefined: nobody could parse it. */
  factsOf(item: FeedItem): DeliveryFacts | undefined {
    if ('raw' in item) return undefined;
    return this.#mode === 'latest' ? this.#latestFacts(item.value) : this.#versionFacts(item.value);
  }

  /** `item` as it came, `value` as the handler gets it. */
  deliveryOf(
    item: FeedItem,
    value: unknown,
    invalid?: InvalidItem,
    facts: DeliveryFacts | undefined = this.factsOf(item),
  ): Delivery {
    if (facts === undefined) return this.#unparsed(item, invalid);
    const { id, values, lsn, version, timeMs } = facts;
    const laneKey = laneKeyText(values);
    const identity = `${this.#identity.containerRid}/${version}/${id}/${laneKey}`;
    return { value, id, laneKey, lsn, timeMs, identity, invalid };
  }

  /** Only the lane key of what `deliveryOf` gives. */
  laneKeyOf(item: FeedItem, facts: DeliveryFacts | undefined = this.factsOf(item)): string {
    return laneKeyText(facts?.values ?? []);
  }

  /** As it came, but for what a handler has changed of it: what tells it from others is put back. */
  restored(value: Members, facts: DeliveryFacts): Members {
    if (this.#mode === 'latest') return this.#restoredDocument(value, facts);
    const { metadata, current } = value;
    const document = membersOf(current);
    const isEmpty = document === undefined || Object.keys(document).length === 0;
    return {
      ...value,
      metadata: { ...membersOf(metadata), lsn: facts.lsn },
      ...(isEmpty ? {} : { current: this.#restoredDocument(document, { ...facts, lsn: undefined }) }),
    };
  }

  #restoredDocument(document: Members, { id, lsn, etag, values }: DeliveryFacts): Members {
    const isKey = laneKeyText(this.#keyOf(document)) === laneKeyText(values);
    const isSame =
      document['id'] === id && (lsn === undefined || document['_lsn'] === lsn) && document['_etag'] === etag;
    if (isSame && isKey) return document;
    const names = { id, ...(lsn === undefined ? {} : { _lsn: lsn }), ...(etag === undefined ? {} : { _etag: etag }) };
    let copy: Members = { ...document, ...names };
    this.#paths.forEach((path, index) => {
      copy = withMember(copy, path, values[index]);
    });
    return copy;
  }

  #valueOf(value: Readonly<Record<string, unknown>>): unknown {
    return this.#mode === 'latest' ? value : decodeVersion(value, this.#identity.partitionKeyPaths);
  }

  #unknownEnvelope(item: FeedItem): InvalidItem {
    return { raw: rawOf(item), reason: 'The change is none of create, replace and delete.', kind: 'unparseable' };
  }

  async #validated(
    items: readonly FeedItem[],
    values: unknown[],
    invalid: Map<number, InvalidItem>,
    schema: StandardSchema,
  ): Promise<DecodedPage> {
    for (let index = 0; index < values.length; index += 1) {
      if (invalid.has(index)) continue;
      const change = values[index];
      const isVersion = this.#mode === 'all-versions';
      const subject = isVersion ? (change as VersionChange<unknown>).current : change; // `#valueOf` made it.
      if (subject === undefined) continue;
      const verdict = await validate(schema, subject);
      if ('reason' in verdict) {
        values[index] = undefined;
        invalid.set(index, { raw: rawOf(items[index] as FeedItem), reason: verdict.reason, kind: 'schema' });
      } else values[index] = isVersion ? { ...(change as object), current: verdict.value } : verdict.value;
    }
    return { values, invalid };
  }

  /** It has no key and no version: the same bytes are the same change. */
  #unparsed(item: FeedItem, invalid: InvalidItem | undefined): Delivery {
    const raw = rawOf(item);
    const identity = `${this.#identity.containerRid}/raw/${digest(raw)}`;
    const reason = 'raw' in item ? item.reason : '';
    const told = invalid ?? { raw, reason };
    return {
      value: undefined,
      id: '',
      laneKey: laneKeyText([]),
      lsn: undefined,
      timeMs: undefined,
      identity,
      invalid: told,
    };
  }

  #latestFacts(document: Members): DeliveryFacts {
    const { id, _lsn, _ts, _etag } = document;
    const lsn = typeof _lsn === 'number' ? _lsn : undefined;
    return {
      id: nameOf(id),
      values: this.#keyOf(document),
      lsn,
      etag: _etag,
      // Without either, the same content is the same change.
      version: typeof _etag === 'string' || lsn !== undefined ? String(lsn ?? _etag) : digest(JSON.stringify(document)),
      timeMs: typeof _ts === 'number' ? _ts * 1000 : undefined,
    };
  }

  #versionFacts(envelope: Members): DeliveryFacts {
    const change = decodeVersion(envelope, this.#identity.partitionKeyPaths);
    if (change === undefined) {
      const version = digest(JSON.stringify(envelope));
      return { id: '', values: [], lsn: undefined, etag: undefined, version, timeMs: undefined };
    }
    const { id, lsn, timeMs, type } = change;
    const values = this.#keyOfVersion(change);
    // One transaction may write a document more than once: its versions share the LSN, but not the etag.
    const etag = change.current?._etag;
    return { id, values, lsn, etag, version: `${lsn}:${type}:${nameOf(etag ?? '')}`, timeMs };
  }

  #keyOfVersion(change: VersionChange<unknown>): PartitionKeyValues {
    if (change.current !== undefined) return this.#keyOf(change.current);
    // The endpoint took these values from the document, where they were valid.
    if (change.partitionKey !== undefined) return change.partitionKey as PartitionKeyValues;
    return this.#keyOf(change.previous);
  }

  #keyOf(document: unknown): PartitionKeyValues {
    try {
      return extractPartitionKey(document, this.#paths);
    } catch (error) {
      // An object where the key should be: no endpoint stores it, and where one does, such documents share a lane.
      if (isDatabaseError(error)) return this.#paths.map(() => undefined);
      throw error;
    }
  }
}

type Members = Readonly<Record<string, unknown>>;

export interface DeliveryFacts {
  readonly id: string;
  readonly values: PartitionKeyValues;
  readonly lsn: number | undefined;
  readonly etag: unknown;
  readonly version: string;
  readonly timeMs: number | undefined;
}

const none: ReadonlyMap<number, InvalidItem> = new Map();

/** As in the header of requests: an absent value is `{}`. */
function laneKeyText(values: PartitionKeyValues): string {
  return JSON.stringify(
    values.includes(undefined) ? values.map((value) => value ?? (value === null ? null : {})) : values,
  );
}

/** Every endpoint sends texts. */
function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
}

/** A copy; undefined takes the member away. */
function withMember(members: Members, [name = '', ...rest]: readonly string[], value: unknown): Members {
  const inner = rest.length === 0 ? value : withMember(membersOf(members[name]) ?? {}, rest, value);
  if (inner !== undefined) return { ...members, [name]: inner };
  const { [name]: _, ...others } = members;
  return others;
}

function rawOf(item: FeedItem): Uint8Array {
  return 'raw' in item ? item.raw : Buffer.from(JSON.stringify(item.value));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const emptyPage: FeedPage = {
  position: '',
  items: [],
  isDrained: true,
  isWaitApplied: false,
  charge: 0,
  tailLsn: undefined,
  sessionToken: undefined,
  serverTimeMs: undefined,
};
