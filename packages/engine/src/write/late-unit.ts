// A batch whose commands are read when somebody asks for them. Where many batches wait for their turn that is when it comes: until then
// each is as small as it was given, and the garbage collector has less to carry about.

import { assert } from '@tidemark/model';
import type { Unit, UnitPartitionKey, WriteCommand } from './command.ts';

export class LateUnit implements Unit {
  readonly partitionKey: UnitPartitionKey;
  readonly input: NonNullable<Unit['input']>;
  #read: (() => readonly WriteCommand[]) | undefined;
  #commands: readonly WriteCommand[] | undefined;

  /** `read` throws what is wrong with the commands. */
  constructor(partitionKey: UnitPartitionKey, input: NonNullable<Unit['input']>, read: () => readonly WriteCommand[]) {
    this.partitionKey = partitionKey;
    this.input = input;
    this.#read = read;
  }

  get commands(): readonly WriteCommand[] {
    if (this.#commands === undefined) {
      assert(this.#read !== undefined, 'a unit that has been committed is not decided again');
      this.#commands = this.#read();
    }
    return this.#commands;
  }

  letGo(): void {
    this.#read = undefined;
    this.#commands = undefined;
  }
}
