import { testSeeds } from './seed-batch.ts';

testSeeds(1001, 1000);
