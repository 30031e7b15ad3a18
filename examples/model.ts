// Which of a container's ranges holds a document? Its partition key decides: it is hashed to an effective key, and each
// range owns an interval of those.

import assert from 'node:assert/strict';
import type { PartitionKeyDefinition } from '@tidemark/model';
import {
  effectiveKey,
  effectiveKeyHex,
  extractPartitionKey,
  keyRangeContains,
  parsePartitionKeyPath,
  sliceKeySpace,
} from '@tidemark/model';

const definition: PartitionKeyDefinition = { paths: ['/city'], kind: 'Hash', version: 2 };
const ranges = sliceKeySpace(definition, 4);

const document = { id: '1', city: 'redmond' };
const values = extractPartitionKey(document, definition.paths.map(parsePartitionKeyPath));
const key = effectiveKeyHex(effectiveKey(definition, values));
const holders = ranges.filter((range) => keyRangeContains(range, key));

console.log(`${document.city} hashes to ${key}`);
for (const range of ranges) console.log(`${range.min} … ${range.max}${holders.includes(range) ? '  ← here' : ''}`);

assert.equal(key, '22E342F38A486A088463DFF7838A5963');
assert.equal(holders.length, 1);
