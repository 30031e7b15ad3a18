import { filesContract } from '../../../testing/src/files-contract.ts';
import { memoryFiles } from './memory-files.ts';

filesContract('memory', () => memoryFiles());
