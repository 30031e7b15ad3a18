import { isLong } from '@tidemark/testing';
import { describe, expect, test } from 'vitest';
import { troubles } from './surroundings-run.ts';

describe('[engine 12] nothing acknowledged is lost, and everybody is told the truth, with', () => {
  for (const { name, isQuick = false, run } of troubles) {
    test.runIf(isLong || isQuick)(name, async (context) => {
      const outcome = await run();
      if ('skipped' in outcome) return context.skip(outcome.skipped);
      expect(outcome).toEqual([]);
    });
  }
});
