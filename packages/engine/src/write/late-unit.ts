// A batch whose commands are read when somebody asks for them. Where many batches wait for their turn that is when it comes: until then
// each is as small as it was given, and the garbage collector has less to carry about.

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
    this.#commands ??= this.#read?.() ?? none;
    return this.#commands;
  }

  letGo(): void {
    this.#read = undefined;
    this.#commands = none;
  }
}

const none: readonly WriteCommand[] = [];
