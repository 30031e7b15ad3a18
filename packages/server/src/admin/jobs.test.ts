import { DatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import { jobsRememberedMax } from '../limits.ts';
import { Jobs } from './jobs.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a job is looked at while it runs and after it has ended', async () => {
  const jobs = new Jobs(() => {});
  let finish = (_: string): void => {};
  const { id } = jobs.start('check', ({ onProgress }) => {
    onProgress({ done: 1, total: 2 });
    return new Promise((resolve) => {
      finish = resolve;
    });
  });

  expect(jobs.find(id)).toMatchObject({ state: 'running', progress: { done: 1, total: 2 } });
  expect(() => jobs.start('check', async () => {})).toThrow('still running');
  finish('clean');
  await turn();

  expect(jobs.find(id)).toMatchObject({ state: 'done', result: 'clean' });
});

test('what ends a job early is shown, but not the words of a defect', async () => {
  const failures: unknown[] = [];
  const jobs = new Jobs((error) => failures.push(error));
  const refused = jobs.start('backup', async () => {
    throw new DatabaseError('disk-full', 'no room');
  });
  const broken = jobs.start('check', async () => {
    throw new Error('secret');
  });
  await turn();

  expect(jobs.find(refused.id)?.error).toEqual({ code: 'InsufficientStorage', message: 'no room' });
  expect(JSON.stringify(jobs.find(broken.id))).not.toContain('secret');
  expect(failures).toHaveLength(2);
});

test('closing stops what runs; only the last jobs are remembered', async () => {
  const jobs = new Jobs(() => {});
  for (let i = 0; i < jobsRememberedMax + 5; i += 1) {
    jobs.start('check', async () => i);
    await turn();
  }
  expect(jobs.all).toHaveLength(jobsRememberedMax);
  const { id } = jobs.start('check', ({ signal }) => {
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  });
  await jobs.close();

  expect(jobs.find(id)?.state).toBe('failed');
  expect(() => jobs.start('check', async () => {})).toThrow('closing');
});
