import { expect, test } from 'vitest';
import { CrashModel } from './crash-model.ts';
import type { Message, Seen } from './protocol.ts';

const batch: Message = {
  kind: 'begin',
  op: 1,
  container: 'plain',
  touched: [
    { key: 'p/a', isDelete: false },
    { key: 'p/b', isDelete: false },
  ],
};

/** The batch was not answered before the kill; of what it wrote only b is there, with LSN 5. */
function openedWithHalf(model: CrashModel): void {
  const state: Seen[] = [{ key: 'p/b', op: 1, lsn: 5 }];
  const ranges = [{ id: '0', tail: 6 }];
  model.take({ kind: 'opened', container: 'plain', ranges, state, points: state, listed: state });
}

function deleteOfA(op: number): Message {
  return { kind: 'begin', op, container: 'plain', touched: [{ key: 'p/a', isDelete: true }] };
}

test('a batch of which a document is missing is half there', () => {
  const model = new CrashModel();
  model.take(batch);

  expect(() => openedWithHalf(model)).toThrow('operation 1 is half there: p/a is missing');
});

test('a batch is whole although a later delete, which was acknowledged before it, has taken a document away', () => {
  const model = new CrashModel();
  model.take(batch);
  model.take(deleteOfA(2));
  model.take({ kind: 'done', op: 2, range: '0', lsn: 6 });

  expect(() => openedWithHalf(model)).not.toThrow();
});

test('a batch is whole although a delete that was not acknowledged either has taken a document away', () => {
  const model = new CrashModel();
  model.take(batch);
  model.take(deleteOfA(2));

  expect(() => openedWithHalf(model)).not.toThrow();
});

test('a delete from before the batch does not explain that a document is missing', () => {
  const model = new CrashModel();
  model.take(deleteOfA(2));
  model.take({ kind: 'done', op: 2, range: '0', lsn: 4 });
  model.take(batch);

  expect(() => openedWithHalf(model)).toThrow('operation 1 is half there: p/a is missing');
});
