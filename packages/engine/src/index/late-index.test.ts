import { indexStoreContract } from '../../../testing/src/index-store-contract.ts';
import { openLateIndex } from './late-index.ts';
import { memoryIndex } from './memory-index.ts';

// So small that generations fill, freeze and get to their places all the time.
const small = { changesMax: 8, mergedMax: 3 };

indexStoreContract('late, every key', () => openLateIndex(memoryIndex(), { ...small, isLate: () => true }));
indexStoreContract('late, some keys', () =>
  openLateIndex(memoryIndex(), { ...small, isLate: (firstByte) => firstByte === 0x61 }),
);
indexStoreContract('late, no key yet', () => openLateIndex(memoryIndex()));
