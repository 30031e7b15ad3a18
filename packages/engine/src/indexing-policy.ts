// The indexing policy of a container: checked where a client of the service is told of a mistake, and kept for the query engine.

import type { JsonObject } from './definition-member.ts';
import { invalid, isObject, oneOf, optionalArray, optionalObject, own } from './definition-member.ts';

/** Kept for the query engine; its paths are not interpreted yet. */
export interface IndexingPolicy extends JsonObject {
  readonly indexingMode: 'consistent' | 'lazy' | 'none';
  readonly automatic: boolean;
  readonly includedPaths: readonly unknown[];
  readonly excludedPaths: readonly unknown[];
}

export interface GeospatialConfig {
  readonly type: 'Geography' | 'Geometry';
}

/** Wire: defaults as the service reports them; the mode is compared without case and reported in lower case (wire 6). */
export function readIndexingPolicy(input: unknown, geospatialConfig: GeospatialConfig): IndexingPolicy {
  const policy = optionalObject(input, 'indexingPolicy');
  const modeText = own(policy, 'indexingMode') ?? 'consistent';
  const indexingMode = oneOf(modeText, ['consistent', 'lazy', 'none'] as const, 'indexingPolicy.indexingMode');
  const automatic = own(policy, 'automatic') ?? indexingMode !== 'none';
  if (typeof automatic !== 'boolean') throw invalid('The member indexingPolicy.automatic must be true or false.');
  const included = optionalArray(policy, 'includedPaths');
  const excludedPaths = withEtagPath(optionalArray(policy, 'excludedPaths') ?? [], included ?? []);
  const everythingIsExcluded = hasPath(excludedPaths, '/*');
  const includedPaths = included ?? (everythingIsExcluded ? [] : [{ path: '/*' }]);
  for (const each of [...includedPaths, ...excludedPaths]) {
    if (!isObject(each) || typeof own(each, 'path') !== 'string') {
      throw invalid('Every included and excluded path of the indexing policy must be an object with a "path".');
    }
  }
  for (const each of optionalArray(policy, 'spatialIndexes') ?? []) checkSpatialIndex(each, geospatialConfig);
  const vectorIndexes = optionalArray(policy, 'vectorIndexes')?.map(readVectorIndex);
  const vectors = vectorIndexes === undefined ? {} : { vectorIndexes };
  return { ...policy, indexingMode, automatic, includedPaths, excludedPaths, ...vectors };
}

/** Wire: the service excludes the etag unless the client includes it, and says so beside what the client excludes. */
function withEtagPath(excludedPaths: readonly unknown[], includedPaths: readonly unknown[]): readonly unknown[] {
  const isSaid = hasPath(excludedPaths, etagPath) || hasPath(includedPaths, etagPath);
  return isSaid ? excludedPaths : [...excludedPaths, { path: etagPath }];
}

const etagPath = '/"_etag"/?';

function hasPath(entries: readonly unknown[], path: string): boolean {
  return entries.some((each) => isObject(each) && own(each, 'path') === path);
}

/** Wire: a plane has its bounds, and the globe has none (wire 6). */
function checkSpatialIndex(index: unknown, { type }: GeospatialConfig): void {
  const box = isObject(index) ? (own(index, 'boundingBox') ?? undefined) : undefined;
  if (type === 'Geometry' && !isObject(box)) {
    throw invalid('A spatial index needs a boundingBox when the geospatialConfig of the container is Geometry.');
  }
  if (type === 'Geography' && box !== undefined) {
    throw invalid('A spatial index has no boundingBox when the geospatialConfig of the container is Geography.');
  }
  if (!isObject(box)) return;
  if (isBelow(own(box, 'xmin'), own(box, 'xmax')) && isBelow(own(box, 'ymin'), own(box, 'ymax'))) return;
  throw invalid(
    'The boundingBox of a spatial index must have the numbers xmin, ymin, xmax and ymax, with xmin below xmax and ymin below ymax.',
  );
}

function isBelow(one: unknown, other: unknown): boolean {
  return typeof one === 'number' && typeof other === 'number' && one < other;
}

const vectorTypes = ['flat', 'quantizedFlat', 'diskANN'] as const;

function readVectorIndex(index: unknown): JsonObject {
  if (!isObject(index) || typeof own(index, 'path') !== 'string') {
    throw invalid('Every vector index of the indexing policy must be an object with a "path".');
  }
  return { ...index, type: oneOf(own(index, 'type'), vectorTypes, 'indexingPolicy.vectorIndexes.type') };
}

/** Wire: what is indexed as a vector is one by the vector policy. The slash is written as the service writes it. */
export function checkVectorIndexes(policy: IndexingPolicy, vectorPolicy: unknown): void {
  const embeddings = optionalArray(optionalObject(vectorPolicy, 'vectorEmbeddingPolicy'), 'vectorEmbeddings') ?? [];
  const paths = new Set(embeddings.map(pathOf));
  for (const index of vectorIndexesOf(policy)) {
    const path = pathOf(index);
    if (path === undefined || paths.has(path)) continue;
    throw invalid(`Vector Indexing Policy's path::${path.replaceAll('/', '\\/')} not matching in Embedding's path.`);
  }
}

/** Whether an index that both have is of another type. */
export function vectorIndexesChange(before: IndexingPolicy, next: IndexingPolicy): boolean {
  const types = new Map(vectorIndexesOf(before).map((index) => [pathOf(index), typeOf(index)]));
  return vectorIndexesOf(next).some((index) => types.has(pathOf(index)) && types.get(pathOf(index)) !== typeOf(index));
}

function vectorIndexesOf(policy: IndexingPolicy): readonly unknown[] {
  return optionalArray(policy, 'vectorIndexes') ?? [];
}

function pathOf(entry: unknown): string | undefined {
  const path = isObject(entry) ? own(entry, 'path') : undefined;
  return typeof path === 'string' ? path : undefined;
}

/** Without regard to case: what was stored once may be of any. */
function typeOf(index: unknown): string {
  return String(isObject(index) ? own(index, 'type') : undefined).toLowerCase();
}
