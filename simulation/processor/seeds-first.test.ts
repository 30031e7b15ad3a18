import { testSeeds } from './seed-batch.ts';

testSeeds(1, 1000);
