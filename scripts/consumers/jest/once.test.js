// The processor under jest, which loads CommonJS only.

const { createProcessor, isProcessorError, ProcessorError } = require('@tidemark/processor');
const { once } = require('../once.cjs');

test('a change comes to the handler', async () => {
  expect(await once()).toBe('a');
});

test('errors are of the class that is exported', () => {
  const make = () => createProcessor({ source: {}, leases: {}, name: 'x', handler: () => {} });

  expect(make).toThrow(ProcessorError);
  expect(() => make()).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  expect(isProcessorError(new ProcessorError('stopped', 'x'))).toBe(true);
});
