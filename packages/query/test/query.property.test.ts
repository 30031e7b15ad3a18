import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareEvaluators } from './both-evaluators.ts';
import { draws } from './draw.ts';
import { randomDocuments } from './random-documents.ts';
import { randomQuery } from './random-query.ts';

test('[wire 12] any query over any documents gives the rows of the plain evaluator, in pages of any size', () => {
  fc.assert(
    fc.property(draws, (draw) => {
      const documents = randomDocuments(draw);
      const query = randomQuery(draw);

      const { difference } = compareEvaluators(query, documents);

      expect(difference).toBeUndefined();
    }),
    // Smaller ones of a query that fails take minutes to find, and say no more.
    { numRuns: 700, endOnFailure: true },
  );
});
