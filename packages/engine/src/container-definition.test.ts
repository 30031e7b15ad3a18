import { expect, test } from 'vitest';
import { checkReplaceable, formatContainerDefinition, readContainerDefinition } from './container-definition.ts';

const minimal = { id: 'c', partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 } };

function read(members: object = {}) {
  return readContainerDefinition({ ...minimal, ...members });
}

test('[wire 6] fills in the defaults of the service', () => {
  expect(formatContainerDefinition(read())).toEqual({
    id: 'c',
    partitionKey: { paths: ['/pk'], kind: 'Hash', version: 2 },
    indexingPolicy: {
      indexingMode: 'consistent',
      automatic: true,
      includedPaths: [{ path: '/*' }],
      excludedPaths: [{ path: '/"_etag"/?' }],
    },
    uniqueKeyPolicy: { uniqueKeys: [] },
    conflictResolutionPolicy: {
      mode: 'LastWriterWins',
      conflictResolutionPath: '/_ts',
      conflictResolutionProcedure: '',
    },
    geospatialConfig: { type: 'Geography' },
  });
});

test('[wire 6] keeps what it does not use as it came, and drops the system properties', () => {
  const kept = {
    computedProperties: [{ name: 'cp', query: 'SELECT VALUE LOWER(c.x) FROM c' }],
    vectorEmbeddingPolicy: { vectorEmbeddings: [{ path: '/v', dataType: 'float32' }] },
    fullTextPolicy: { defaultLanguage: 'en-US' },
    clientEncryptionPolicy: { includedPaths: [], policyFormatVersion: 1 },
    somethingNew: { x: [1] },
  };

  const definition = read({
    ...kept,
    _rid: 'r',
    _self: 's',
    _etag: 'e',
    _ts: 1,
    _docs: 'docs/',
    _conflicts: 'conflicts/',
  });

  expect(definition.verbatim).toEqual(kept);
});

test('[wire 6] what it writes it reads back the same', () => {
  const definition = read({
    indexingPolicy: { indexingMode: 'Consistent', compositeIndexes: [[{ path: '/a', order: 'ascending' }]] },
    defaultTtl: 60,
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/a', '/b/c'] }] },
    changeFeedPolicy: { retentionDuration: 5 },
    computedProperties: [],
  });

  expect(readContainerDefinition(formatContainerDefinition(definition))).toEqual(definition);
  expect(definition.indexingPolicy.compositeIndexes).toEqual([[{ path: '/a', order: 'ascending' }]]);
  expect(definition).toMatchObject({ defaultTtl: 60, changeFeedPolicy: { retentionDuration: 5 } });
});

test('[wire 6] a partition key without kind and version is a Hash of version 1', () => {
  expect(read({ partitionKey: { paths: ['/_partitionKey'] } }).partitionKey).toEqual({
    paths: ['/_partitionKey'],
    kind: 'Hash',
    version: 1,
  });
});

test.each([
  ['defaultTTL', 'defaultTtl'],
  ['partitionkey', 'partitionKey'],
  ['indexPolicy', undefined],
  ['uniqueKeysPolicy', 'uniqueKeyPolicy'],
  ['changefeedPolicy', 'changeFeedPolicy'],
  ['vectorEmbeddingPolicy', undefined],
  ['__proto', undefined],
])('[wire 6] the member %s is taken for a slip of %s', (name, meant) => {
  const definition = () => read({ [name]: { any: 'thing' } });
  if (meant === undefined) expect(formatContainerDefinition(definition())).toBeDefined();
  else expect(definition).toThrow(`did you mean '${meant}'`);
});

test('[wire 6] a container without a partition key exists only where old clients are served', () => {
  expect(() => readContainerDefinition({ id: 'c' })).toThrow('needs a partition key');
  expect(readContainerDefinition({ id: 'c' }, { allowNone: true }).partitionKey).toMatchObject({
    paths: ['/_partitionKey'],
    kind: 'Hash',
    systemKey: true,
  });
});

test.each<[string, object, object]>([
  [
    'the indexing mode in lower case',
    { indexingPolicy: { indexingMode: 'NONE' } },
    { indexingPolicy: { indexingMode: 'none', automatic: false } },
  ],
  [
    'no included paths when everything is excluded',
    { indexingPolicy: { excludedPaths: [{ path: '/*' }] } },
    { indexingPolicy: { includedPaths: [], excludedPaths: [{ path: '/*' }, { path: '/"_etag"/?' }] } },
  ],
  [
    'own excluded paths, beside which the etag stays excluded',
    { indexingPolicy: { excludedPaths: [{ path: '/"systemMetadata"/*' }] } },
    { indexingPolicy: { excludedPaths: [{ path: '/"systemMetadata"/*' }, { path: '/"_etag"/?' }] } },
  ],
  [
    'the excluded etag, which is not excluded twice',
    { indexingPolicy: { excludedPaths: [{ path: '/"_etag"/?' }, { path: '/a/?' }] } },
    { indexingPolicy: { excludedPaths: [{ path: '/"_etag"/?' }, { path: '/a/?' }] } },
  ],
  [
    'the included etag, which is not excluded as well',
    { indexingPolicy: { includedPaths: [{ path: '/"_etag"/?' }], excludedPaths: [{ path: '/*' }] } },
    { indexingPolicy: { includedPaths: [{ path: '/"_etag"/?' }], excludedPaths: [{ path: '/*' }] } },
  ],
  [
    'a spatial index of the globe',
    { indexingPolicy: { spatialIndexes: [{ path: '/g/*', types: ['Point'], boundingBox: null }] } },
    { geospatialConfig: { type: 'Geography' } },
  ],
  [
    'a vector index of a vector',
    { ...vectors('/v'), indexingPolicy: { vectorIndexes: [{ path: '/v', type: 'flat' }] } },
    { indexingPolicy: { vectorIndexes: [{ path: '/v', type: 'flat' }] } },
  ],
  [
    'the types of vector indexes in any case, beside what else they say',
    {
      ...vectors('/u', '/v'),
      indexingPolicy: {
        vectorIndexes: [
          { path: '/u', type: 'DiskANN', quantizationByteSize: 8 },
          { path: '/v', type: 'quantizedflat' },
        ],
      },
    },
    {
      indexingPolicy: {
        vectorIndexes: [
          { path: '/u', type: 'diskANN', quantizationByteSize: 8 },
          { path: '/v', type: 'quantizedFlat' },
        ],
      },
    },
  ],
  ['null for vector indexes', { indexingPolicy: { vectorIndexes: null } }, { indexingPolicy: { vectorIndexes: null } }],
  [
    'own included paths',
    { indexingPolicy: { includedPaths: [{ path: '/a/?' }] } },
    { indexingPolicy: { includedPaths: [{ path: '/a/?' }], excludedPaths: [{ path: '/"_etag"/?' }] } },
  ],
  [
    'Custom conflict resolution',
    { conflictResolutionPolicy: { mode: 'custom', conflictResolutionProcedure: 'p' } },
    { conflictResolutionPolicy: { mode: 'Custom', conflictResolutionPath: '', conflictResolutionProcedure: 'p' } },
  ],
  [
    'null for a policy',
    { uniqueKeyPolicy: null, indexingPolicy: null, changeFeedPolicy: null },
    { uniqueKeyPolicy: { uniqueKeys: [] } },
  ],
  ['a defaultTtl of -1', { defaultTtl: -1 }, { defaultTtl: -1 }],
  ['the longest defaultTtl', { defaultTtl: 2_147_483_647 }, { defaultTtl: 2_147_483_647 }],
  ['a retention of 0', { changeFeedPolicy: { retentionDuration: 0 } }, { changeFeedPolicy: { retentionDuration: 0 } }],
  [
    'Geometry with a bounding box',
    { geospatialConfig: { type: 'geometry' }, ...boxed({ xmin: -1.5, ymin: -1, xmax: 0, ymax: 1e9 }) },
    { geospatialConfig: { type: 'Geometry' }, ...boxed({ xmin: -1.5, ymin: -1, xmax: 0, ymax: 1e9 }) },
  ],
  [
    'ten unique keys of sixteen paths',
    { uniqueKeyPolicy: { uniqueKeys: uniqueKeys(10, 16) } },
    { uniqueKeyPolicy: { uniqueKeys: uniqueKeys(10, 16) } },
  ],
])('[wire 6] accepts %s', (_title, members, expected) => {
  expect(read(members)).toMatchObject(expected);
});

test.each<[string, string, object]>([
  ['no id', 'invalid-id', { id: undefined }],
  ['an id with a slash', 'invalid-id', { id: 'a/b' }],
  ['an id that ends in a space', 'invalid-id', { id: 'a ' }],
  ['paths that are no array', 'invalid-definition', { partitionKey: { paths: '/pk' } }],
  ['a path with a blank', 'invalid-definition', { partitionKey: { paths: ['/p k'] } }],
  ['a defaultTtl of 0', 'invalid-ttl', { defaultTtl: 0 }],
  ['a defaultTtl of null', 'invalid-ttl', { defaultTtl: null }],
  ['a defaultTtl of -10', 'invalid-ttl', { defaultTtl: -10 }],
  ['an indexing policy that is text', 'invalid-definition', { indexingPolicy: 'all' }],
  ['an unknown indexing mode', 'invalid-definition', { indexingPolicy: { indexingMode: 'eager' } }],
  ['automatic that is text', 'invalid-definition', { indexingPolicy: { automatic: 'yes' } }],
  ['included paths that are no array', 'invalid-definition', { indexingPolicy: { includedPaths: {} } }],
  ['an included path without a path', 'invalid-definition', { indexingPolicy: { includedPaths: [{}] } }],
  [
    'a spatial index on Geometry without a box',
    'invalid-definition',
    { geospatialConfig: { type: 'Geometry' }, indexingPolicy: { spatialIndexes: [{ path: '/g/*' }] } },
  ],
  [
    'a spatial index on Geography with a box',
    'invalid-definition',
    { indexingPolicy: { spatialIndexes: [{ path: '/g/*', boundingBox: { xmin: 0, ymin: 0, xmax: 1, ymax: 1 } }] } },
  ],
  ['a vector index without a path', 'invalid-definition', { indexingPolicy: { vectorIndexes: [{ type: 'flat' }] } }],
  ['an unknown geometry', 'invalid-definition', { geospatialConfig: { type: 'Flat' } }],
  ['an unknown conflict mode', 'invalid-definition', { conflictResolutionPolicy: { mode: 'First' } }],
  ['unique keys that are no array', 'invalid-definition', { uniqueKeyPolicy: { uniqueKeys: {} } }],
  ['a unique key without paths', 'invalid-definition', { uniqueKeyPolicy: { uniqueKeys: [{ paths: [] }] } }],
  [
    'a unique key path with a wildcard',
    'invalid-definition',
    { uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/a/*'] }] } },
  ],
  ['a unique key path twice', 'invalid-definition', { uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/a', '/a'] }] } }],
  ['eleven unique keys', 'invalid-definition', { uniqueKeyPolicy: { uniqueKeys: uniqueKeys(11, 1) } }],
  ['seventeen paths', 'invalid-definition', { uniqueKeyPolicy: { uniqueKeys: uniqueKeys(1, 17) } }],
  ['a negative retention', 'invalid-definition', { changeFeedPolicy: { retentionDuration: -1 } }],
  ['a retention of half a minute', 'invalid-definition', { changeFeedPolicy: { retentionDuration: 0.5 } }],
])('[wire 6] refuses %s', (_title, code, members) => {
  expect(() => read(members)).toThrow(expect.objectContaining({ code }));
});

test.each([{}, vectors('/other'), { vectorEmbeddingPolicy: null }])(
  '[wire 6] refuses a vector index that %j knows no vector for, in the words of the service',
  (members) => {
    const definition = () => read({ ...members, indexingPolicy: { vectorIndexes: [{ path: '/v/w', type: 'flat' }] } });

    expect(definition).toThrow("Vector Indexing Policy's path::\\/v\\/w not matching in Embedding's path");
    expect(definition).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
  },
);

test('[wire 6] a replace may add a vector index and may not change the type of one', () => {
  const withIndexes = (...types: readonly string[]) =>
    read({
      ...vectors('/v0', '/v1'),
      indexingPolicy: { vectorIndexes: types.map((type, i) => ({ path: `/v${i}`, type })) },
    });

  expect(() => checkReplaceable(withIndexes('flat'), withIndexes('flat', 'diskANN'))).not.toThrow();
  expect(() => checkReplaceable(withIndexes('flat'), withIndexes('quantizedFlat'))).toThrow(
    'Vector Indexing Policy cannot be changed in Collection Replace',
  );
});

test.each([undefined, null, [], 'c', 17])('[wire 6] refuses %j as a definition', (input) => {
  expect(() => readContainerDefinition(input)).toThrow(expect.objectContaining({ code: 'invalid-definition' }));
});

test.each<[string, object]>([
  ['the id', { id: 'd' }],
  ['the partition key path', { partitionKey: { paths: ['/other'], kind: 'Hash', version: 2 } }],
  ['the partition key version', { partitionKey: { paths: ['/pk'], kind: 'Hash' } }],
  ['the partition key kind', { partitionKey: { paths: ['/pk'], kind: 'MultiHash', version: 2 } }],
  ['the unique keys', { uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/a'] }] } }],
])('[wire 6] a replace cannot change %s', (_title, members) => {
  expect(() => checkReplaceable(read(), read(members))).toThrow(
    expect.objectContaining({ code: 'invalid-definition' }),
  );
});

test('[wire 6] a replace may change everything else', () => {
  const next = read({
    defaultTtl: 5,
    indexingPolicy: { indexingMode: 'none' },
    changeFeedPolicy: { retentionDuration: 10 },
  });

  expect(() => checkReplaceable(read(), next)).not.toThrow();
});

test('a definition that nests too deep or is too large is refused before it reaches the log', () => {
  const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  const refused = expect.objectContaining({ code: 'invalid-definition' });

  expect(() => read({ x: nested(100) })).not.toThrow();
  expect(() => read({ x: nested(200) })).toThrow(refused);
  expect(() => read({ indexingPolicy: { x: nested(100_000) } })).toThrow(refused);
  expect(() => read({ x: 'x'.repeat(100_000) })).not.toThrow();
  expect(() => read({ x: 'x'.repeat(1_000_000) })).toThrow(refused);
});

test.each([
  {},
  { xmin: 0, ymin: 0, xmax: 1 },
  { xmin: 0, ymin: 0, xmax: 1, ymax: '1' },
  { xmin: 0, ymin: 0, xmax: 1, ymax: null },
  { xmin: 1, ymin: 0, xmax: 0, ymax: 1 },
  { xmin: 0, ymin: 1, xmax: 1, ymax: 0 },
  { xmin: 0, ymin: 0, xmax: 0, ymax: 1 },
])('[wire 6] refuses the bounding box %j, which bounds nothing', (boundingBox) => {
  expect(() => read({ geospatialConfig: { type: 'Geometry' }, ...boxed(boundingBox) })).toThrow(
    'The boundingBox of a spatial index must have the numbers xmin, ymin, xmax and ymax, with xmin below xmax and ymin below ymax.',
  );
});

test.each(['xx', '', 'flat ', 1, null, undefined])('[wire 6] refuses a vector index of the type %j', (type) => {
  expect(() => read({ ...vectors('/v'), indexingPolicy: { vectorIndexes: [{ path: '/v', type }] } })).toThrow(
    'The member indexingPolicy.vectorIndexes.type must be one of: flat, quantizedFlat, diskANN.',
  );
});

test('[wire 6] the type of a vector index that was stored in another case is the same', () => {
  const indexes = { ...vectors('/v'), indexingPolicy: { vectorIndexes: [{ path: '/v', type: 'flat' }] } };
  const stored = read(indexes);
  const before = {
    ...stored,
    indexingPolicy: { ...stored.indexingPolicy, vectorIndexes: [{ path: '/v', type: 'FLAT' }] },
  };

  expect(() => checkReplaceable(before, read(indexes))).not.toThrow();
});

function boxed(boundingBox: object) {
  return { indexingPolicy: { spatialIndexes: [{ path: '/g/*', types: ['Point'], boundingBox }] } };
}

function vectors(...paths: readonly string[]) {
  return { vectorEmbeddingPolicy: { vectorEmbeddings: paths.map((path) => ({ path, dataType: 'float32' })) } };
}

function uniqueKeys(count: number, pathCount: number) {
  return Array.from({ length: count }, (_, key) => ({
    paths: Array.from({ length: pathCount }, (_unused, path) => `/k${key}/p${path}`),
  }));
}

const policyOf = (feature: object): object => ({ supportedFeatures: { allVersionsAndDeletes: feature } });

test.each([
  ...[0, 1, 2, 3].map((mode) => policyOf({ mode })),
  policyOf({ mode: 1, includedPaths: ['/nested', '/version'], futureSetting: { value: true } }),
  { mode: 3 },
  {},
  { supportedFeatures: {} },
  {
    supportedFeatures: { globalSecondaryIndex: { mode: 1 }, containerCopy: { mode: 2 }, future: { mode: 7 } },
    futureSetting: 42,
  },
])('[wire 6] a policy of previous images is kept as it came: %j', (previousImageRetentionPolicy) => {
  const definition = read({ previousImageRetentionPolicy });
  expect(formatContainerDefinition(definition)).toMatchObject({ previousImageRetentionPolicy });
  expect(readContainerDefinition(formatContainerDefinition(definition))).toEqual(definition);
});

test.each([
  ...[-1, 4, 3.5, '3', true, null].map((mode) => policyOf({ mode })),
  { mode: 4 },
  { ...policyOf({ mode: 0 }), mode: 77 },
  { supportedFeatures: { containerCopy: { mode: 9 } } },
  { supportedFeatures: { globalSecondaryIndex: 1 } },
  policyOf({ mode: 3, includedPaths: 'x' }),
  policyOf({ mode: 3, includedPaths: ['nested'] }),
  policyOf({ includedPaths: ['/nested'] }),
  policyOf({ mode: 3, includedPaths: ['/nested/*'] }),
  policyOf([]),
  { supportedFeatures: 3 },
  3,
  [],
])('[wire 6] a policy of previous images that is none is refused: %j', (previousImageRetentionPolicy) => {
  expect(() => read({ previousImageRetentionPolicy })).toThrow(/previousImageRetentionPolicy/);
});

test('[wire 6] a policy of previous images that is left out stays so, also with null', () => {
  for (const members of [{}, { previousImageRetentionPolicy: null }]) {
    expect(formatContainerDefinition(read(members))).not.toHaveProperty('previousImageRetentionPolicy');
  }
});

test.each(['globalSecondaryIndexDefinition', 'materializedViewDefinition'])(
  '[wire 6] a container that is to be an index of another one is refused: %s',
  (name) => {
    const definition = { sourceCollectionId: 'src', definition: 'SELECT c.id FROM c' };
    expect(() => read({ [name]: definition })).toThrow(/Global secondary indexes/);
    expect(read({ [name]: null }).id).toBe('c');
  },
);
