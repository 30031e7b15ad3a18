// The look of object-scanner.ts at small documents, with vector instructions, in about half of the time.
//
// The module (object-scan.wat) finds the wanted names by hashes. No two wanted names have the same, and no two of a document that it
// accepts, so that the one with the hash of a wanted name is that name or the document has no such member: a look at its bytes tells.

import type { Buffer } from 'node:buffer';
import { endianness } from 'node:os';
import { checksumMemory, headAt, moduleMemory } from '../log/checksum.ts';
import { vectorModule } from '../log/vector-module.ts';
import { moduleText } from './object-scan-module.ts';

interface Module {
  hash(at: number, bytes: number): number;
  scan(from: number, to: number, depthMax: number, wanted: number): number;
}

/** Of its memory; see object-scan.wat. */
const hashesAt = 32_768;
const foundAt = 32_832;
const wantedMax = 16;
const nameBytesMax = 256;
const levelsMax = 255;
const foundFields = 3;
/** Of what it answers. */
const notAsciiBit = 1;
const escapesBit = 2;

/** Its numbers are little-endian, those of arrays as the machine has them. */
const isPossible = moduleMemory !== undefined && endianness() === 'LE';
const compiled = isPossible ? vectorModule<Module>(moduleText, { checksum: { memory: moduleMemory } }) : undefined;
const hashes = moduleMemory === undefined ? undefined : new Int32Array(moduleMemory.buffer, hashesAt, wantedMax);
const found =
  moduleMemory === undefined ? undefined : new Int32Array(moduleMemory.buffer, foundAt, wantedMax * foundFields);

/** Whose names are in the memory. */
let owner: VectorScan | undefined;

export class VectorScan {
  readonly #names: readonly Buffer[];
  readonly #hashes: Int32Array;
  readonly #depthMax: number;
  isAscii = false;
  hasEscapes = false;

  /** Undefined where there are no vector instructions, and for names and depths that it is not made for. */
  static of(names: readonly Buffer[], depthMax: number): VectorScan | undefined {
    if (compiled === undefined || names.length === 0 || names.length > wantedMax) return undefined;
    if (depthMax > levelsMax || !names.every(isPlain)) return undefined;
    const { hash } = compiled;
    const hashes = Int32Array.from(names, (name) => {
      checksumMemory.set(name, 0);
      return hash(headAt, name.length);
    });
    return new Set(hashes).size < names.length ? undefined : new VectorScan(names, hashes, depthMax);
  }

  private constructor(names: readonly Buffer[], hashes: Int32Array, depthMax: number) {
    this.#names = names;
    this.#hashes = hashes;
    this.#depthMax = depthMax;
  }

  /** Whether the bytes are few enough. */
  takes(bytes: Buffer): boolean {
    return bytes.length <= checksumMemory.length;
  }

  /** As ObjectScanner.accepts. */
  accepts(bytes: Buffer, from: number, to: number, starts: Int32Array, ends: Int32Array): boolean {
    if (compiled === undefined || hashes === undefined || found === undefined) return false;
    const names = this.#names;
    if (owner !== this) {
      hashes.set(this.#hashes);
      owner = this;
    }
    checksumMemory.set(bytes, 0);
    const answer = compiled.scan(headAt + from, headAt + to, this.#depthMax, names.length);
    if (answer < 0) return false;
    this.isAscii = (answer & notAsciiBit) === 0;
    this.hasEscapes = (answer & escapesBit) !== 0;
    for (let i = 0; i < names.length; i += 1) {
      const start = found[i * foundFields + 1] as number;
      const isThere = start >= 0 && isName(names[i] as Buffer, bytes, (found[i * foundFields] as number) - headAt);
      starts[i] = isThere ? start - headAt : -1;
      ends[i] = isThere ? (found[i * foundFields + 2] as number) - headAt : -1;
    }
    return true;
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** Short, and as it stands in a document: of one with escapes nobody could tell where it ends. */
function isPlain(name: Buffer): boolean {
  return name.length <= nameBytesMax && name.every((byte) => byte >= 0x20 && byte !== quote && byte !== backslash);
}

/** Whether the name that begins at `start` is this one. */
function isName(name: Buffer, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < name.length; i += 1) if (name[i] !== bytes[start + i]) return false;
  return bytes[start + name.length] === quote;
}
