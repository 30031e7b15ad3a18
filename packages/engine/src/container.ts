// One container, as an embedder sees it: documents in, documents out, and the feed. It turns what a caller gives into units.

import { Buffer } from 'node:buffer';
import type {
  KeyRange,
  LatestChange,
  PartitionKeyComponent,
  PartitionKeyDefinition,
  PartitionKeyValues,
  StoredDocument as StoredJson,
  VersionChange,
  WrappedChange,
} from '@tidemark/model';
import {
  assert,
  checkPartitionKeySize,
  DatabaseError,
  effectiveKey,
  effectiveKeyHex,
  effectiveKeyPrefixRange,
  encodePartitionKeyBytes,
  parsePartitionKeyPath,
  parseResourceId,
  partitionKeyEquals,
  partitionKeyValues,
  validateDocumentId,
} from '@tidemark/model';
import type { ExplainedQuery, PreparedQuery } from '@tidemark/query';
import { explainQuery } from '@tidemark/query';
import type { BatchResult } from './batch-result.ts';
import { ShownBatch } from './batch-result.ts';
import { Document } from './document.ts';
import type { ChangeFeedOptions, ChangeFeedScope } from './feed/change-feed.ts';
import { ChangeFeed } from './feed/change-feed.ts';
import type { OptionNames } from './known-options.ts';
import { checkOptionNames } from './known-options.ts';
import type { DocumentScope } from './query/document-scan.ts';
import type { Queries } from './query/queries.ts';
import type { QueryOptions, QueryParameters } from './query/query.ts';
import { ContainerQuery, checkedText, parametersOf } from './query/query.ts';
import type { QueryPage, QueryPageRequest } from './query/query-page.ts';
import { readQueryPage } from './query/query-page.ts';
import type { ContainerInfo, RangeEngine, RangeInfo, StoredDocument, UnitOutcome, UnitResult } from './range-engine.ts';
import { checkKeyBounds } from './state/range.ts';
import type { BatchOperation, DocumentInput, LateWrites, WriteKind } from './write/batch-operation.ts';
import {
  checkEtag,
  checkOperations,
  ifMatchOf,
  inputOf,
  isWrite,
  kindOfOperation,
  lateWritesOf,
  ofEach,
} from './write/batch-operation.ts';
import { ClientReader } from './write/client-bytes.ts';
import type { ClientDocument, PatchOperation, Unit, UnitPartitionKey, WriteCommand } from './write/command.ts';
import { decide } from './write/decide.ts';
import { LateUnit } from './write/late-unit.ts';
import type { PatchBody } from './write/patch-body.ts';
import { checkPatchOperations } from './write/patch-body.ts';

/** One value for a single path, several for a hierarchical key; undefined stands for an absent value. */
export type PartitionKeyInput = PartitionKeyComponent | PartitionKeyValues;

export interface WriteOptions {
  /** Where it is not given it is taken from the document. */
  readonly partitionKey?: PartitionKeyInput;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
}

export interface WriteResult<T = StoredJson> {
  readonly isCreated: boolean;
  readonly document: Document<T>;
}

export interface PatchOptions {
  readonly ifMatch?: string;
  /** `FROM c WHERE c.stock > 0`: the document is patched if this holds, and the error is precondition-failed if not. */
  readonly condition?: string;
}

export interface DeleteOptions {
  readonly ifMatch?: string;
}

const noOptions: WriteOptions = {};
const writeOptionNames: OptionNames<WriteOptions> = { partitionKey: true, ifMatch: true, ifNoneMatch: true };
const patchOptionNames: OptionNames<PatchOptions> = { ifMatch: true, condition: true };
const readPageOptionNames: OptionNames<ReadPageOptions> = {
  continuation: true,
  itemsMax: true,
  keys: true,
  partitionKey: true,
};
const deleteOptionNames: OptionNames<DeleteOptions> = { ifMatch: true };

export interface ReadPageOptions {
  readonly continuation?: number | undefined;
  readonly itemsMax?: number;
  /** Only documents of these effective keys. */
  readonly keys?: KeyRange;
  /** Only documents of this partition key. */
  readonly partitionKey?: PartitionKeyInput;
}

export class Container {
  readonly #engine: RangeEngine;
  readonly #number: number;
  readonly #queries: Queries;
  /** Cannot change in the life of a container. */
  readonly #partitionKey: PartitionKeyDefinition;
  readonly #reader: ClientReader;

  constructor(engine: RangeEngine, number: number, queries: Queries) {
    this.#engine = engine;
    this.#number = number;
    this.#queries = queries;
    this.#partitionKey = engine.container(number).definition.partitionKey;
    this.#reader = new ClientReader({ partitionKeyPaths: this.#partitionKey.paths.map(parsePartitionKeyPath) });
  }

  get info(): ContainerInfo {
    return this.#engine.container(this.#number);
  }

  get id(): string {
    return this.info.id;
  }

  // Documents

  create<T = StoredJson>(document: DocumentInput, options: WriteOptions = noOptions): Promise<WriteResult<T>> {
    return this.#writeDocument('create', document, options);
  }

  upsert<T = StoredJson>(document: DocumentInput, options: WriteOptions = noOptions): Promise<WriteResult<T>> {
    return this.#writeDocument('upsert', document, options);
  }

  replace<T = StoredJson>(document: DocumentInput, options: WriteOptions = noOptions): Promise<WriteResult<T>> {
    return this.#writeDocument('replace', document, options);
  }

  async patch<T = StoredJson>(
    id: string,
    partitionKey: PartitionKeyInput,
    operations: readonly PatchOperation[],
    options: PatchOptions = {},
  ): Promise<WriteResult<T>> {
    checkOptionNames<PatchOptions>(options, patchOptionNames);
    checkEtag('ifMatch', options.ifMatch);
    validateDocumentId(id);
    const checked = checkPatchOperations(operations);
    const command = this.patchCommand(id, { operations: checked, ...options });
    return written(await this.commit(this.partitionKey(partitionKey), [command]));
  }

  async delete(id: string, partitionKey: PartitionKeyInput, options: DeleteOptions = {}): Promise<void> {
    checkOptionNames<DeleteOptions>(options, deleteOptionNames);
    checkEtag('ifMatch', options.ifMatch);
    validateDocumentId(id);
    const result = await this.commit(this.partitionKey(partitionKey), [
      { kind: 'delete', id, ifMatch: options.ifMatch },
    ]);
    accepted(result.outcomes[0]);
  }

  async read<T = StoredJson>(id: string, partitionKey: PartitionKeyInput): Promise<Document<T> | undefined> {
    return this.find<T>(id, this.partitionKey(partitionKey));
  }

  async readMany<T = StoredJson>(
    keys: readonly (readonly [id: string, partitionKey: PartitionKeyInput])[],
  ): Promise<(Document<T> | undefined)[]> {
    const wanted = keys.map((pair) => {
      if (!Array.isArray(pair)) throw notPairs();
      const [id, partitionKey] = pair;
      const { bytes, epk } = this.partitionKey(partitionKey);
      return { id, partitionKey: bytes, epk };
    });
    const found = await this.#engine.getMany(this.#number, wanted);
    return found.map((stored) => (stored === undefined ? undefined : new Document<T>(stored)));
  }

  /** By `_rid`. */
  async readByRid<T = StoredJson>(rid: string): Promise<Document<T> | undefined> {
    const parsed = parseResourceId(rid);
    const [database, container, number] = parsed?.kind === 'document' ? parsed.parts : [];
    if (database !== this.info.database || container !== this.#number || number === undefined) return undefined;
    const stored = await this.#engine.getByRid(this.#number, number);
    return stored === undefined ? undefined : new Document<T>(stored);
  }

  /** All or nothing: up to 100 operations on one partition key, under one LSN. */
  batch(partitionKey: PartitionKeyInput, operations: readonly BatchOperation[]): Promise<BatchResult> {
    try {
      const key = this.partitionKey(partitionKey);
      checkOperations(operations);
      const writes = lateWritesOf(operations);
      const unit = writes === undefined ? this.#unitOf(operations, key) : this.#lateUnitOf(writes, key);
      return this.#commitUnit(unit).then((result) => new ShownBatch(result));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Every document of the partition key is gone for all readers when this resolves. */
  async deletePartition(partitionKey: PartitionKeyInput): Promise<void> {
    return this.#engine.deletePartition(this.#number, this.partitionKey(partitionKey));
  }

  /** Documents of one range in the order of their creation; `continuation` is undefined after the last page. */
  async readPage<T = StoredJson>(
    range: string,
    options: ReadPageOptions = {},
  ): Promise<{ readonly documents: Document<T>[]; readonly end: number; readonly continuation: number | undefined }> {
    checkOptionNames<ReadPageOptions>(options, readPageOptionNames);
    const { continuation: from, itemsMax = pageItems, keys, partitionKey } = options;
    const page = await this.#engine.scan(this.#number, range, {
      from,
      itemsMax,
      bytesMax: pageBytes,
      ...(keys === undefined ? {} : { keys: [keys] }),
      ...(partitionKey === undefined ? {} : { partitionKey: this.partitionKey(partitionKey) }),
    });
    const documents = page.documents.map((stored) => new Document<T>(stored));
    return { documents, end: page.end, continuation: page.continuation };
  }

  // Queries

  /** The rows of a query, `SELECT VALUE c.id FROM c WHERE c.n > @n`, with `{ '@n': 5 }`. Runs as far as it is iterated. */
  query<T = unknown>(text: string, parameters: QueryParameters = {}, options: QueryOptions = {}): ContainerQuery<T> {
    return new ContainerQuery<T>(this, text, parameters, options);
  }

  /** How a query is run: which keys it reads, what it filters, sorts and groups by, and whether that needs all documents first. */
  explain(text: string, parameters: QueryParameters = {}): ExplainedQuery {
    const { names, values } = parametersOf(parameters);
    const { partitionKey, indexingPolicy } = this.info.definition;
    return explainQuery(this.prepareQuery(checkedText(text), names), values, partitionKey, indexingPolicy);
  }

  // The feed

  /** The latest version of every document, in the order of change within a partition key; then what comes. */
  changes<T extends StoredJson = StoredJson>(options: ChangeFeedOptions & FeedOf = {}): ChangeFeed<LatestChange<T>> {
    return new ChangeFeed(this.#engine, this.#number, this.#feedScope(options), 'latest', options);
  }

  /** Every version and every delete, as far back as the container keeps history. */
  versions<T extends StoredJson = StoredJson>(options: ChangeFeedOptions & FeedOf = {}): ChangeFeed<VersionChange<T>> {
    return new ChangeFeed(this.#engine, this.#number, this.#feedScope(options), 'all', options);
  }

  // Ranges

  get ranges(): RangeInfo[] {
    return this.#engine.ranges(this.#number);
  }

  split(range: string, at?: string): Promise<readonly RangeInfo[]> {
    return this.#engine.split(this.#number, range, at);
  }

  /** In the background, also after a restart: the largest range is split first. Nothing is merged. */
  grow(ranges: number): Promise<void> {
    return this.#engine.grow(this.#number, ranges);
  }

  merge(left: string, right: string): Promise<RangeInfo> {
    return this.#engine.merge(this.#number, left, right);
  }

  // What the server builds on

  /** The latest versions in envelopes, which take a little longer to make than `changes`. */
  wrappedChanges(options: ChangeFeedOptions & FeedOf = {}): ChangeFeed<WrappedChange> {
    return new ChangeFeed(this.#engine, this.#number, this.#feedScope(options), 'latest-wrapped', options);
  }

  /** Of the same text it is the same, as long as it is remembered. */
  prepareQuery(text: string, parameterNames: readonly string[]): PreparedQuery {
    return this.#queries.prepare(text, parameterNames, this.info.definition);
  }

  /** All documents of a partition key; some levels of a hierarchical key select everything below them. */
  scopeOfKey(values: PartitionKeyValues): DocumentScope {
    const definition = this.#partitionKey;
    if (values.length < definition.paths.length) return { keys: [effectiveKeyPrefixRange(definition, values)] };
    const partitionKey = this.#keyOf(values);
    const min = effectiveKeyHex(partitionKey.epk);
    return { keys: [{ min, max: `${min}00` }], partitionKey };
  }

  readQueryPage(request: QueryPageRequest): Promise<QueryPage> {
    return readQueryPage(this.#engine, this.#number, this.#queries, request);
  }

  readClient(document: DocumentInput): ClientDocument {
    return this.#reader.read(document);
  }

  /** The condition is understood here, so that what is wrong with it is told before anything is decided. */
  patchCommand(id: string, patch: PatchBody & Pick<PatchOptions, 'ifMatch'>): WriteCommand {
    const { operations, condition, ifMatch } = patch;
    const understood =
      condition === undefined ? {} : { condition: this.#queries.condition(condition, this.info.definition) };
    return { kind: 'patch', id, operations, ...understood, ifMatch };
  }

  partitionKeyOf(document: ClientDocument): UnitPartitionKey {
    return this.#keyOf(document.partitionKey);
  }

  partitionKey(input: PartitionKeyInput): UnitPartitionKey {
    return this.#keyOf(partitionKeyValues(Array.isArray(input) ? input : [input]));
  }

  /** A read without a promise where the document is at hand. */
  find<T = StoredJson>(
    id: string,
    partitionKey: UnitPartitionKey,
  ): Document<T> | undefined | Promise<Document<T> | undefined> {
    validateDocumentId(id);
    const found = this.#engine.get(this.#number, { id, partitionKey: partitionKey.bytes, epk: partitionKey.epk });
    if (found instanceof Promise) return found.then((stored) => documentOf<T>(stored));
    return documentOf<T>(found);
  }

  /** Commits a unit to whatever range holds its partition key by then. Never throws, and does without `await`; see below. */
  commit(
    partitionKey: UnitPartitionKey,
    commands: readonly WriteCommand[],
    answerBytesMax?: number,
  ): Promise<UnitResult> {
    return this.#commitUnit(
      answerBytesMax === undefined ? { partitionKey, commands } : { partitionKey, commands, answerBytesMax },
    );
  }

  #commitUnit(unit: Unit): Promise<UnitResult> {
    return this.#engine.commit(this.#number, undefined, unit, decide);
  }

  #unitOf(operations: readonly BatchOperation[], partitionKey: UnitPartitionKey): Unit {
    return { partitionKey, commands: ofEach(operations, (operation) => this.#commandOf(operation, partitionKey)) };
  }

  #lateUnitOf({ kinds, documents, ifMatches, bytes }: LateWrites, key: UnitPartitionKey): Unit {
    const read = (): readonly WriteCommand[] =>
      ofEach(documents, (document, i) =>
        commandOf(kinds[i] as WriteKind, this.#inPartition(document, key), ifMatches?.[i], undefined),
      );
    return new LateUnit(key, { commands: documents.length, bytes }, read);
  }

  #commandOf(operation: BatchOperation, key: UnitPartitionKey): WriteCommand {
    const kind = kindOfOperation(operation);
    if (isWrite(kind)) {
      return commandOf(kind, this.#inPartition(inputOf(operation, kind), key), ifMatchOf(operation), undefined);
    }
    if (kind === 'read' && 'read' in operation) return { kind, id: checkedId(operation.read) };
    if (kind === 'delete' && 'delete' in operation) {
      return { kind, id: checkedId(operation.delete), ifMatch: operation.ifMatch };
    }
    assert('patch' in operation, 'what is left is a patch');
    const operations = checkPatchOperations(operation.operations);
    return this.patchCommand(checkedId(operation.patch), { ...operation, operations });
  }

  #inPartition(input: DocumentInput, { values }: UnitPartitionKey): ClientDocument {
    const document = this.#reader.read(input, values);
    if (document.partitionKey !== values && !partitionKeyEquals(document.partitionKey, values)) throw this.#mismatch();
    return document;
  }

  /** The way of most writes. Without `await`, which makes several objects for each: one promise of the engine's and its own. */
  #writeDocument<T>(kind: WriteKind, input: DocumentInput, options: WriteOptions): Promise<WriteResult<T>> {
    try {
      if (options !== noOptions) checkWriteOptions(options);
      const document = this.readClient(input);
      const key = this.#keyFor(document, options);
      const commands = [commandOf(kind, document, options.ifMatch, options.ifNoneMatch)];
      return this.#commitUnit({ partitionKey: key, commands }).then(written<T>);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #mismatch(): DatabaseError {
    const paths = this.#partitionKey.paths.join(', ');
    const message = `The partition key given does not match the partition key in the document, at ${paths}.`;
    return new DatabaseError('partition-key-mismatch', message);
  }

  #keyFor(document: ClientDocument, options: WriteOptions): UnitPartitionKey {
    const key = this.partitionKeyOf(document);
    if (options.partitionKey === undefined) return key;
    if (!partitionKeyEquals(key.values, this.partitionKey(options.partitionKey).values)) throw this.#mismatch();
    return key;
  }

  #keyOf(values: PartitionKeyValues): UnitPartitionKey {
    const definition = this.#partitionKey;
    if (values.length !== definition.paths.length) {
      const given = `The partition key given has ${values.length} component(s)`;
      const message = `${given}; the container's has ${definition.paths.length}: ${definition.paths.join(', ')}.`;
      throw new DatabaseError('invalid-partition-key', message);
    }
    checkPartitionKeySize(values);
    const bytes = encodePartitionKeyBytes(values, Buffer.allocUnsafe);
    return { values, bytes, epk: effectiveKey(definition, values, Buffer.allocUnsafe) };
  }

  #feedScope(options: ChangeFeedOptions & FeedOf): ChangeFeedScope {
    checkOptionNames<ChangeFeedOptions & FeedOf>(options, feedOptionNames);
    if (options.partitionKey !== undefined) {
      const { partitionKey } = options;
      const values = partitionKeyValues(Array.isArray(partitionKey) ? partitionKey : [partitionKey]);
      const definition = this.#partitionKey;
      // Some levels of a hierarchical key select everything below them.
      if (values.length < definition.paths.length) return { keys: effectiveKeyPrefixRange(definition, values) };
      return { partitionKey: this.partitionKey(values) };
    }
    const { keys, range } = options;
    if (keys !== undefined) checkKeyBounds(keys);
    return { ...(keys === undefined ? {} : { keys }), ...(range === undefined ? {} : { range }) };
  }
}

/** Which part of the container a feed shows; all of it when nothing is given. */
export interface FeedOf {
  readonly partitionKey?: PartitionKeyInput;
  readonly keys?: KeyRange;
  /** One range by its id; the feed ends with range-gone when it is split or merged. Not together with a partition key. */
  readonly range?: string;
}

const feedOptionNames: OptionNames<ChangeFeedOptions & FeedOf> = {
  from: true,
  itemsMax: true,
  bytesMax: true,
  previousImages: true,
  signal: true,
  partitionKey: true,
  keys: true,
  range: true,
};

const pageItems = 100;
const pageBytes: number = 4 * 1024 * 1024;

function commandOf(
  kind: WriteKind,
  document: ClientDocument,
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
): WriteCommand {
  if (kind === 'create') return { kind, document };
  return kind === 'upsert' ? { kind, document, ifMatch, ifNoneMatch } : { kind, id: document.id, document, ifMatch };
}

function documentOf<T>(stored: StoredDocument | undefined): Document<T> | undefined {
  return stored === undefined ? undefined : new Document<T>(stored);
}

/** The outcome of a command that was not refused. */
function written<T>(result: UnitResult): WriteResult<T> {
  const outcome = accepted(result.outcomes[0]);
  if (outcome.kind !== 'created' && outcome.kind !== 'replaced') {
    throw new DatabaseError('internal', `A write came back as "${outcome.kind}".`);
  }
  return { isCreated: outcome.kind === 'created', document: new Document<T>(outcome.document) };
}

function accepted(outcome: UnitOutcome | undefined): Exclude<UnitOutcome, { kind: 'rejected' }> {
  if (outcome === undefined) throw new DatabaseError('internal', 'A command came back without an outcome.');
  if (outcome.kind === 'rejected') throw new DatabaseError(outcome.code, outcome.message);
  return outcome;
}

function checkWriteOptions(options: WriteOptions): void {
  checkOptionNames<WriteOptions>(options, writeOptionNames);
  checkEtag('ifMatch', options.ifMatch);
  checkEtag('ifNoneMatch', options.ifNoneMatch);
}

function checkedId(id: string): string {
  validateDocumentId(id);
  return id;
}

function notPairs(): DatabaseError {
  return new DatabaseError('bad-request', 'What is read is a list of pairs: [[id, partition key], …].');
}
