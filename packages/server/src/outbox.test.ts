import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { heldAnswersMax, heldBodyBytesMax } from './limits.ts';
import { Outbox } from './outbox.ts';

test('answers of one turn of the event loop go out together at its end, in their order', async () => {
  const outbox = new Outbox();
  const sent: string[] = [];
  outbox.put(0, () => sent.push('a'));
  await Promise.resolve();
  outbox.put(heldBodyBytesMax, () => sent.push('b'));
  expect(sent).toEqual([]);

  await setImmediate();

  expect(sent).toEqual(['a', 'b']);
});

test('a large answer is sent at once, and so are many small ones', () => {
  const outbox = new Outbox();
  let sent = 0;
  outbox.put(heldBodyBytesMax + 1, () => sent++);
  expect(sent).toBe(1);

  for (let i = 1; i < heldAnswersMax; i += 1) outbox.put(1, () => sent++);
  expect(sent).toBe(1);
  outbox.put(1, () => sent++);

  expect(sent).toBe(1 + heldAnswersMax);
});

test('answers that became ready together after a wait go out together, before the turn is over', async () => {
  const outbox = new Outbox();
  const sent: string[] = [];
  const flush = Promise.resolve();
  const answers = ['a', 'b', 'c'].map((name) =>
    flush.then(() => {
      outbox.put(0, () => sent.push(name), true);
      expect(sent).toEqual([]);
    }),
  );
  let isOver = false;
  const turn = setImmediate().then(() => {
    isOver = true;
  });

  await Promise.all(answers);
  await new Promise<void>((resolve) => process.nextTick(resolve));

  expect(sent).toEqual(['a', 'b', 'c']);
  expect(isOver).toBe(false);
  await turn;
});
