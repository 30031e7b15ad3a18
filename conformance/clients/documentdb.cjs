// The `documentdb` module in a process of its own, because it needs flags of node that nothing else should run with. It does
// what the messages say and answers with what came back.

const { DocumentClient } = require('documentdb');

const client = new DocumentClient(process.env.TIDEMARK_ENDPOINT, { masterKey: process.env.TIDEMARK_KEY });
/** Query iterators live on between calls. */
const iterators = new Map();

process.on('message', ({ number, method, args, iterator }) => {
  const done = (error, result, headers) => process.send({ number, error, result, headers });
  try {
    if (iterator === undefined) {
      client[method](...args, done);
    } else {
      if (!iterators.has(iterator)) iterators.set(iterator, client[method](...args));
      iterators.get(iterator)[iterator.split(' ')[0]](done);
    }
  } catch (error) {
    done({ code: 'thrown', body: String(error) });
  }
});
process.on('disconnect', () => process.exit());
