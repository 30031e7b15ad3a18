import { clockContract } from '../../testing/src/clock-contract.ts';
import { systemEnvironment } from '../src/ambient.ts';

clockContract(systemEnvironment().clock);
