import { describe, expect, test } from 'vitest';
import { troubles } from './surroundings-run.ts';

describe('[engine 12] nothing acknowledged is lost, and everybody is told the truth, with', () => {
  for (const { name, run } of troubles) {
    test(name, async (context) => {
      const outcome = await run();
      if ('skipped' in outcome) return context.skip(outcome.skipped);
      expect(outcome).toEqual([]);
    });
  }
});
