// The processor in a program of ES modules; `require` gives the very same classes, so that `instanceof` holds.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { DatabaseError } from '@tidemark/model';
import { createProcessor, MemoryDocumentStore, MemoryFeedSource, ProcessorError } from '@tidemark/processor';
import { Chance } from '@tidemark/processor/testing';

const source = new MemoryFeedSource({ ranges: 1, partitionKey: '/pk' });
source.put({ id: 'a', pk: 'k' });
const seen = await new Promise((resolve, reject) => {
  const processor = createProcessor({
    source,
    leases: new MemoryDocumentStore(),
    name: 'once',
    start: 'beginning',
    logger: false,
    handler: ([change]) => void processor.stop().then(() => resolve(change.id), reject),
  });
  processor.start().catch(reject);
});

const required = createRequire(import.meta.url);
assert.equal(seen, 'a');
assert.equal(typeof Chance, 'function');
assert.equal(required('@tidemark/processor').ProcessorError, ProcessorError);
assert.equal(required('@tidemark/model').DatabaseError, DatabaseError);
