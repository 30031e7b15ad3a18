// The definition of a container: what a client may say about it, checked, with the service's defaults filled in.
//
// Members that are no business of this file (computed properties and vector policies, which queries read; full text policies and
// whatever comes after them, which nothing uses yet) are kept as they came, so that a client reads back what it wrote; one that is almost the name of a member that is used is
// refused, because it would do nothing. Names that begin with an underscore are the service's own
// and are dropped: clients send them back when they replace a container.

import { Buffer } from 'node:buffer';
import type { PartitionKeyDefinition } from '@tidemark/model';
import {
  DatabaseError,
  defaultPartitionKeyPath,
  documentDepthMax,
  isDatabaseError,
  nearestName,
  parsePartitionKeyPath,
  uniqueKeyPathsMax,
  uniqueKeysMax,
  validatePartitionKeyDefinition,
  validateResourceName,
  validateTtl,
} from '@tidemark/model';
import { prepareQuery, readContainerFacts } from '@tidemark/query';
import type { JsonObject } from './definition-member.ts';
import { invalid, isObject, oneOf, optionalArray, optionalObject, own } from './definition-member.ts';
import type { GeospatialConfig, IndexingPolicy } from './indexing-policy.ts';
import { checkVectorIndexes, readIndexingPolicy, vectorIndexesChange } from './indexing-policy.ts';
import { previousImagePolicyName, readPreviousImages } from './previous-image-policy.ts';

export interface ContainerDefinition {
  readonly id: string;
  readonly partitionKey: PartitionKeyDefinition;
  readonly indexingPolicy: IndexingPolicy;
  /** Seconds, or -1: documents live for ever but may have a ttl of their own. Absent: nothing ever expires. */
  readonly defaultTtl?: number;
  readonly uniqueKeyPolicy: UniqueKeyPolicy;
  readonly conflictResolutionPolicy: ConflictResolutionPolicy;
  readonly geospatialConfig: GeospatialConfig;
  /** How long every version stays readable, in minutes; absent or 0: only the latest one is kept. */
  readonly changeFeedPolicy?: ChangeFeedPolicy;
  /** All other members, as they came. */
  readonly verbatim: JsonObject;
}

export interface UniqueKeyPolicy {
  readonly uniqueKeys: readonly { readonly paths: readonly string[] }[];
}

export interface ConflictResolutionPolicy {
  readonly mode: 'LastWriterWins' | 'Custom';
  readonly conflictResolutionPath: string;
  readonly conflictResolutionProcedure: string;
}

export interface ChangeFeedPolicy {
  readonly retentionDuration: number;
}

export interface ContainerDefinitionOptions {
  /** Whether a container may have no partition key: clients of before 2018-12-31 create such (wire 6). */
  readonly allowNone?: boolean;
}

/** Throws DatabaseError: invalid-definition, invalid-id, invalid-ttl. */
export function readContainerDefinition(input: unknown, options: ContainerDefinitionOptions = {}): ContainerDefinition {
  if (!isObject(input)) throw invalid('The definition of a container must be a JSON object.');
  checkSize(input);
  checkSpelling(input);
  checkNoIndexOfAnother(input);
  checkPreviousImages(own(input, previousImagePolicyName));
  const geospatialConfig = readGeospatialConfig(own(input, 'geospatialConfig'));
  const changeFeedPolicy = readChangeFeedPolicy(own(input, 'changeFeedPolicy'));
  const defaultTtl = validateTtl(own(input, 'defaultTtl'), "The container's defaultTtl");
  const indexingPolicy = readIndexingPolicy(own(input, 'indexingPolicy'), geospatialConfig);
  checkVectorIndexes(indexingPolicy, own(input, 'vectorEmbeddingPolicy'));
  checkComputedProperties(input);
  return {
    id: validateResourceName(own(input, 'id'), 'The container id'),
    partitionKey: readPartitionKey(own(input, 'partitionKey'), options.allowNone ?? false),
    indexingPolicy,
    ...(defaultTtl === undefined ? {} : { defaultTtl }),
    uniqueKeyPolicy: readUniqueKeyPolicy(own(input, 'uniqueKeyPolicy')),
    conflictResolutionPolicy: readConflictResolutionPolicy(own(input, 'conflictResolutionPolicy')),
    geospatialConfig,
    ...(changeFeedPolicy === undefined ? {} : { changeFeedPolicy }),
    verbatim: verbatimOf(input),
  };
}

/** The definition as clients read it, and as readContainerDefinition takes it again. */
export function formatContainerDefinition(definition: ContainerDefinition): JsonObject {
  const { verbatim, ...members } = definition;
  return { ...members, ...verbatim };
}

/**
 * Throws invalid-definition when a replace would change what cannot change. A container without a partition key of its own
 * stays one even if `systemKey` is missing in `next`, so whoever stores `next` keeps the partition key of `before`.
 */
export function checkReplaceable(before: ContainerDefinition, next: ContainerDefinition): void {
  if (before.id !== next.id)
    throw invalid(`The id of a container cannot change (from '${before.id}' to '${next.id}').`);
  const [one, other] = [before.partitionKey, next.partitionKey];
  const isSameKey = one.kind === other.kind && one.version === other.version && areEqual(one.paths, other.paths);
  if (!isSameKey) throw invalid('Document collection partition key cannot be changed: paths, kind and version stay.');
  if (vectorIndexesChange(before.indexingPolicy, next.indexingPolicy)) {
    throw invalid('Vector Indexing Policy cannot be changed in Collection Replace: the type of an index stays.');
  }
  if (!areEqual(before.uniqueKeyPolicy, next.uniqueKeyPolicy)) {
    throw invalid(
      'The unique index cannot be modified. To change the unique index, remove the collection and re-create a new one.',
    );
  }
}

/** The property names of a unique key path; it is written like a partition key path. */
export function parseUniqueKeyPath(path: string): readonly string[] {
  try {
    return parsePartitionKeyPath(path);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    throw invalid(
      `The unique key path '${path}' is not valid: a path is like /a/b, without wildcards and without a slash at its end.`,
    );
  }
}

const known: ReadonlySet<string> = new Set([
  'id',
  'partitionKey',
  'indexingPolicy',
  'defaultTtl',
  'uniqueKeyPolicy',
  'conflictResolutionPolicy',
  'geospatialConfig',
  'changeFeedPolicy',
]);

const minutesMax = 2_147_483_647;

/** Every segment begins with all definitions, so that a large one is written again and again. */
const definitionBytesMax: number = 256 * 1024;

function verbatimOf(input: JsonObject): JsonObject {
  const members = Object.entries(input).filter(
    // A policy that a client leaves out with null stays left out.
    ([name, value]) =>
      !known.has(name) && !name.startsWith('_') && (name !== previousImagePolicyName || value !== null),
  );
  return Object.fromEntries(members);
}

/** Wire: a container that a client takes for an index of another one must not be made as one that nobody fills (wire-2026 4). */
function checkNoIndexOfAnother(input: JsonObject): void {
  for (const name of ['globalSecondaryIndexDefinition', 'materializedViewDefinition']) {
    const value = own(input, name);
    if (value === undefined || value === null) continue;
    throw invalid(
      `Global secondary indexes (${name}) are not supported; leave the member out for a container of its own.`,
    );
  }
}

/** What a query would find wrong when it names the property, with a place in another text, is told while the definition is at hand. */
function checkComputedProperties(input: JsonObject): void {
  readContainerFacts(input);
  // Checked by now.
  const properties = (input['computedProperties'] ?? []) as readonly {
    readonly name: string;
    readonly query: string;
  }[];
  for (const { name, query } of properties) {
    if (isGrouped(name, query)) throw invalid(`The computed property '${name}' must not have an aggregate.`);
  }
}

function isGrouped(name: string, query: string): boolean {
  try {
    return prepareQuery(query, []).program.query.block.isGrouped;
  } catch (cause) {
    if (!isDatabaseError(cause)) throw cause;
    const code = cause.code === 'not-supported' ? cause.code : 'invalid-definition';
    const message = `The query of the computed property '${name}' cannot be understood: ${cause.message}`;
    throw new DatabaseError(code, message, { cause });
  }
}

function checkPreviousImages(policy: unknown): void {
  const read = readPreviousImages(policy);
  if ('must' in read) throw invalid(`The member ${previousImagePolicyName} is not acceptable: ${read.must}.`);
}

function checkSpelling(input: JsonObject): void {
  for (const name of Object.keys(input)) {
    const meant = known.has(name) || name.startsWith('_') ? undefined : nearestName(name, known);
    if (meant !== undefined) throw invalid(`A container has no member '${name}'; did you mean '${meant}'?`);
  }
}

/** It has to be written as JSON: what is too deep for that would end the log instead of the request. */
function checkSize(input: JsonObject): void {
  if (isDeeperThan(input, documentDepthMax)) {
    throw invalid(`The definition of a container may nest at most ${documentDepthMax} levels deep.`);
  }
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes <= definitionBytesMax) return;
  throw invalid(`The definition of a container may have at most ${definitionBytesMax} bytes; this one has ${bytes}.`);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1));
}

function readPartitionKey(input: unknown, allowNone: boolean): PartitionKeyDefinition {
  if (input !== undefined && input !== null) return validatePartitionKeyDefinition(input);
  if (!allowNone) throw invalid('A container needs a partition key: "partitionKey": {"paths": ["/..."]}.');
  return validatePartitionKeyDefinition({ paths: [defaultPartitionKeyPath], kind: 'Hash', systemKey: true });
}

function readUniqueKeyPolicy(input: unknown): UniqueKeyPolicy {
  const uniqueKeys = optionalArray(optionalObject(input, 'uniqueKeyPolicy'), 'uniqueKeys') ?? [];
  if (uniqueKeys.length > uniqueKeysMax) {
    throw invalid(`A container may have at most ${uniqueKeysMax} unique keys, not ${uniqueKeys.length}.`);
  }
  return { uniqueKeys: uniqueKeys.map(readUniqueKey) };
}

function readUniqueKey(input: unknown): { readonly paths: readonly string[] } {
  const paths = isObject(input) ? own(input, 'paths') : undefined;
  if (!Array.isArray(paths) || paths.length === 0 || !paths.every((path) => typeof path === 'string')) {
    throw invalid('A unique key must have "paths": an array of at least one string.');
  }
  if (paths.length > uniqueKeyPathsMax) {
    throw invalid(`A unique key may have at most ${uniqueKeyPathsMax} paths, not ${paths.length}.`);
  }
  if (new Set(paths).size !== paths.length) throw invalid('The paths of a unique key must differ.');
  for (const path of paths) parseUniqueKeyPath(path);
  return { paths: [...paths] };
}

function readConflictResolutionPolicy(input: unknown): ConflictResolutionPolicy {
  const policy = optionalObject(input, 'conflictResolutionPolicy');
  const modeText = own(policy, 'mode') ?? 'LastWriterWins';
  const mode = oneOf(modeText, ['LastWriterWins', 'Custom'] as const, 'conflictResolutionPolicy.mode');
  const path = own(policy, 'conflictResolutionPath') ?? (mode === 'LastWriterWins' ? '/_ts' : '');
  const procedure = own(policy, 'conflictResolutionProcedure') ?? '';
  if (typeof path !== 'string' || typeof procedure !== 'string') {
    throw invalid('Path and procedure of the conflictResolutionPolicy must be strings.');
  }
  return { mode, conflictResolutionPath: path, conflictResolutionProcedure: procedure };
}

function readGeospatialConfig(input: unknown): GeospatialConfig {
  const type = own(optionalObject(input, 'geospatialConfig'), 'type') ?? 'Geography';
  return { type: oneOf(type, ['Geography', 'Geometry'] as const, 'geospatialConfig.type') };
}

function readChangeFeedPolicy(input: unknown): ChangeFeedPolicy | undefined {
  if (input === undefined || input === null) return undefined;
  const retentionDuration = own(optionalObject(input, 'changeFeedPolicy'), 'retentionDuration') ?? 0;
  if (typeof retentionDuration === 'number' && Number.isInteger(retentionDuration)) {
    if (retentionDuration >= 0 && retentionDuration <= minutesMax) return { retentionDuration };
  }
  throw invalid(`The member changeFeedPolicy.retentionDuration must be whole minutes from 0 (off) to ${minutesMax}.`);
}

/** Both sides were made here, so their members stand in the same order. */
function areEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
