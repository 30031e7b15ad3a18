import { expect, test } from 'vitest';
import { readContainerDefinition } from '../container-definition.ts';
import type { ContainerEntry } from './catalog.ts';
import { ContainerState } from './container-state.ts';

function stateWith(previousImageRetentionPolicy: unknown): ContainerState {
  const definition = readContainerDefinition({ id: 'c', partitionKey: { paths: ['/pk'] } });
  const verbatim = { previousImageRetentionPolicy };
  const entry = { database: 1, number: 2, definition: { ...definition, verbatim } } as unknown as ContainerEntry;
  return new ContainerState(entry, [], 1, new Map());
}

test('a policy of previous images is read once, however many versions are read', () => {
  let reads = 0;
  const policy = {
    mode: 3,
    get includedPaths() {
      reads += 1;
      return ['/a', '/b/c'];
    },
  };
  const state = stateWith(policy);

  for (let version = 0; version < 100; version += 1) expect(state.previousImages?.paths?.size).toBe(2);

  expect(reads).toBe(1);
});

test('a policy of previous images that was stored before it was checked counts as none', () => {
  expect(stateWith({ mode: 'x' }).previousImages).toBeUndefined();
});
