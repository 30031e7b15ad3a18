// What a run is told, where it runs, and what it brings.

import { describe, expect, test } from 'vitest';
import { libraryClosure } from './install/debian.ts';
import { readPeersOptions, usage } from './options.ts';
import { isRealTime, placementOf, readCoreList } from './placement.ts';

describe('options', () => {
  test('everything by default, in three rounds', () => {
    const options = readPeersOptions([], '/data');

    expect(options).toMatchObject({ isQuick: false, rounds: 3, folder: '/data', isPublished: false });
    expect(options.works).toHaveLength(8);
    expect(options.contestants).toContain('redis');
  });

  test('parts by name', () => {
    const args = ['--quick', '--only', 'points,bulk', '--peers', 'redis,tidemark-http', '--rounds', '5'];

    expect(readPeersOptions(args, '/data')).toMatchObject({
      isQuick: true,
      rounds: 5,
      works: ['points', 'bulk'],
      contestants: ['tidemark-http', 'redis'],
    });
  });

  test('what cannot be is refused by name', () => {
    expect(() => readPeersOptions(['--only', 'reads'], '/data')).toThrow('--only: there is no reads');
    expect(() => readPeersOptions(['--peers', 'oracle'], '/data')).toThrow('--peers: there is no oracle');
    expect(() => readPeersOptions(['--rounds', '0'], '/data')).toThrow('--rounds');
    expect(() => readPeersOptions(['--documents', '10'], '/data')).toThrow('--documents');
  });

  test('the help names every flag', () => {
    for (const flag of ['quick', 'rounds', 'only', 'peers', 'documents', 'folder', 'publish']) {
      expect(usage).toContain(`--${flag}`);
    }
  });
});

describe('placement', () => {
  test('load and servers have cores of their own where there are two', () => {
    expect(placementOf([0, 1], true)).toMatchObject({ load: ['taskset', '-c', '0'], server: ['taskset', '-c', '1'] });
    expect(placementOf([2, 3, 4, 5], true)).toMatchObject({
      load: ['taskset', '-c', '2,3'],
      server: ['taskset', '-c', '4,5'],
    });
  });

  test('and says so where they have not', () => {
    expect(placementOf([0], true)).toEqual({ load: [], server: [], text: expect.stringContaining('the one core') });
    expect(placementOf([], false)).toEqual({ load: [], server: [], text: expect.stringContaining('no taskset') });
  });

  test('reads the list of cores as Linux writes it', () => {
    expect(readCoreList('0-2,7')).toEqual([0, 1, 2, 7]);
  });

  test('knows a real-time process by its policy', () => {
    const before =
      '1 (a) b) S 1 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 9 10 11 18446744073709551615 1 2 3 4 5 0 0 0 0 0 0 0 17 1';
    expect(['0 0', '0 3', '50 1', '50 2'].map((end) => isRealTime(`${before} ${end} 0 0 0`))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

test('of Debian packages come the libraries that they need, but not the C library and what only it needs', () => {
  const depends = [
    'redis-server',
    '  Depends: lsb-base',
    '  Depends: redis-tools',
    'redis-tools',
    '  Depends: adduser',
    '  Depends: libc6',
    ' |Depends: libjemalloc2',
    'libjemalloc2',
    '  Depends: libc6',
    '  Depends: libstdc++6',
    'libc6',
    '  Depends: libcrypt1',
    'adduser',
    '  Depends: libperl',
  ].join('\n');

  const found = libraryClosure(['redis-server', 'redis-tools'], depends);

  expect(found).toEqual(['redis-server', 'redis-tools', 'libc6', 'libjemalloc2', 'libstdc++6']);
});
