import { sizeOf } from '@tidemark/testing';
import { testSeeds } from './seed-batch.ts';

testSeeds(1, sizeOf('worlds'));
