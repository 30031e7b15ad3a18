import { expect, test } from 'vitest';
import { LateUnit } from './late-unit.ts';

const partitionKey = { values: ['p'], bytes: Buffer.from('p'), epk: Buffer.alloc(16) };

test('[engine 6] its commands are read once, when they are asked for, and never after it has been committed', () => {
  let reads = 0;
  const unit = new LateUnit(partitionKey, { commands: 1, bytes: 10 }, () => {
    reads += 1;
    return [{ kind: 'delete', id: 'a' }];
  });

  expect(reads).toBe(0);
  expect(unit.commands).toHaveLength(1);
  expect(unit.commands).toHaveLength(1);
  expect(reads).toBe(1);
  unit.letGo();
  expect(() => unit.commands).toThrow('not decided again');
});

test('[engine 6] what is wrong with them is thrown each time', () => {
  const unit = new LateUnit(partitionKey, { commands: 1, bytes: 10 }, () => {
    throw new Error('no JSON');
  });

  expect(() => unit.commands).toThrow('no JSON');
  expect(() => unit.commands).toThrow('no JSON');
});
