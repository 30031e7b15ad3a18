// The processor in a program of CommonJS.

'use strict';

const assert = require('node:assert/strict');
const { createProcessor, MemoryDocumentStore, MemoryFeedSource } = require('@tidemark/processor');
const { Chance } = require('@tidemark/processor/testing');

async function once() {
  const source = new MemoryFeedSource({ ranges: 1, partitionKey: '/pk' });
  source.put({ id: 'a', pk: 'k' });
  return new Promise((resolve, reject) => {
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
}

assert.equal(typeof Chance, 'function');
module.exports = { once };
if (require.main === module) {
  once().then((id) => assert.equal(id, 'a'));
}
