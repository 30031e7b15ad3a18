import { expect, test } from 'vitest';
import { byInvariant, progressOf, runCampaign } from './campaign.ts';

const options = { from: 1, count: 12, isShrunk: false, failuresMax: 1, workers: 1, onLine: () => {} } as const;

test('seeds with a defect put back are findings, each with the seed that brings it back, and no more than asked for', async () => {
  const lines: string[] = [];

  const { findings, summary } = await runCampaign({ ...options, mutant: 'D5', onLine: (line) => lines.push(line) });

  expect(findings).toHaveLength(1);
  for (const { seed, text } of findings) expect(text).toContain(`npm run simulate -- --seed ${seed}`);
  expect(lines).toEqual(findings.map(({ text }) => text));
  expect(summary.join('\n')).toContain('by first broken invariant: ');
});

test('several processes find what one finds', async () => {
  const all = { ...options, count: 4, mutant: 'D5', failuresMax: 4 };

  const alone = await runCampaign(all);
  const shared = await runCampaign({ ...all, workers: 2 });

  expect(alone.findings.map(({ seed }) => seed)).toContain(1);
  expect(shared.findings).toEqual(alone.findings);
});

test('what breaks in one process breaks the campaign', async () => {
  await expect(runCampaign({ ...options, mutant: 'D99', workers: 2 })).rejects.toThrow('there is no mutant D99');
});

test('progress says how much time is left, and a summary counts by the first broken invariant', () => {
  expect(progressOf({ done: 100, count: 500, failed: 3, elapsedMs: 20_000 })).toBe(
    '100 of 500 seeds, 3 failed, about 1 min 20 s left',
  );
  expect(byInvariant([{ invariant: 'I11' }, { invariant: 'I3' }, { invariant: 'I11' }])).toBe('I3 1, I11 2');
});
