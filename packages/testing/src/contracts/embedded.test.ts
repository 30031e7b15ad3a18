import { folderEngine, memoryEngine } from './embedded-engines.ts';
import { rangeEngineContract } from './range-engine-contract.ts';

rangeEngineContract('embedded, in memory', memoryEngine());
rangeEngineContract('embedded, in a folder with LMDB', folderEngine());
