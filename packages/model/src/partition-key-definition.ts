// The definition of a container's partition key: which paths, hashed how.

import { DatabaseError } from './errors.ts';
import { partitionKeyPathsMax } from './limits.ts';

export interface PartitionKeyDefinition {
  readonly paths: readonly string[];
  /** 'Hash' has one path; 'MultiHash' (hierarchical) has one to three and is always version 2. */
  readonly kind: 'Hash' | 'MultiHash';
  readonly version: 1 | 2;
  /** Set on containers that were created without a partition key; their documents live under the key "none". */
  readonly systemKey?: boolean;
}

/** The path of containers whose creator named none. */
export const defaultPartitionKeyPath = '/_partitionKey';

/**
 * Checks a definition from outside and fills in its defaults.
 *
 * Wire: an absent version is version 1, because that is what clients hash with when they read none (wire 6). Clients of Java write it as
 * text, and every client reads a number (wire-2026 8).
 */
export function validatePartitionKeyDefinition(input: unknown): PartitionKeyDefinition {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid('The partition key definition must be an object with "paths".');
  }
  const { paths, kind = 'Hash', version: givenVersion, systemKey } = input as Readonly<Record<string, unknown>>;
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string')) {
    throw invalid('The "paths" of the partition key definition must be an array of strings.');
  }
  const checkedPaths: readonly string[] = Object.freeze([...paths]);
  for (const path of checkedPaths) {
    parsePartitionKeyPath(path);
    const surrogateAt = path.search(loneSurrogate);
    if (surrogateAt !== -1) throw invalidPath(path, surrogateAt);
  }
  if (new Set(checkedPaths).size !== checkedPaths.length) throw invalid('The partition key paths must differ.');
  const version = givenVersion === undefined ? undefined : readVersion(givenVersion);
  if (systemKey !== undefined && typeof systemKey !== 'boolean') {
    throw invalid('The partition key "systemKey" must be true or false.');
  }
  const extra = systemKey === undefined ? {} : { systemKey };
  if (kind === 'Hash') {
    if (checkedPaths.length !== 1) {
      throw invalid(
        `A partition key of kind "Hash" has exactly one path, not ${checkedPaths.length}. Use kind "MultiHash" and version 2 for a hierarchical key.`,
      );
    }
    return Object.freeze({ paths: checkedPaths, kind, version: version ?? 1, ...extra });
  }
  if (kind !== 'MultiHash') throw invalid('The partition key "kind" must be "Hash" or "MultiHash".');
  if (checkedPaths.length < 1 || checkedPaths.length > partitionKeyPathsMax) {
    throw invalid(`A partition key of kind "MultiHash" has 1 to ${partitionKeyPathsMax} paths, not ${paths.length}.`);
  }
  if (version !== 2) throw invalid('A partition key of kind "MultiHash" needs "version": 2.');
  return Object.freeze({ paths: checkedPaths, kind, version, ...extra });
}

function readVersion(given: unknown): 1 | 2 {
  if (given === 1 || given === '1' || given === 'V1') return 1;
  if (given === 2 || given === '2' || given === 'V2') return 2;
  throw invalid('The partition key "version" must be 1 or 2.');
}

/** Splits `/a/b` or `/"a b"/c` into its property names. A backslash inside quotes escapes the next character. */
export function parsePartitionKeyPath(path: string): readonly string[] {
  const segments: string[] = [];
  let at = 0;
  while (at < path.length) {
    if (path.charCodeAt(at) !== slash) throw invalidPath(path, at);
    at += 1;
    const quote = path[at];
    if (quote === '"' || quote === "'") {
      const end = endOfQuoted(path, at, quote);
      segments.push(withoutEscapes(path.slice(at + 1, end)));
      at = end + 1;
      continue;
    }
    const next = path.indexOf('/', at);
    const end = next === -1 ? path.length : next;
    const segment = path.slice(at, end);
    const forbiddenAt = segment.length === 0 ? 0 : segment.search(forbiddenInPath);
    if (forbiddenAt !== -1) throw invalidPath(path, at + forbiddenAt);
    segments.push(segment);
    at = end;
  }
  if (segments.length === 0 || segments.includes('')) throw invalidPath(path, 0);
  return Object.freeze(segments);
}

const slash = 0x2f;
/** Names of members are compared as UTF-8, which has none. */
const loneSurrogate = /\p{Surrogate}/u;

// Blanks, controls, wildcards and the marks that mean something else in paths. Quoted segments may hold them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const forbiddenInPath = /[\s\u0000-\u001f\u007f*?\\#"'[\]]/u;

function endOfQuoted(path: string, start: number, quote: string): number {
  for (let at = start + 1; at < path.length; at += 1) {
    if (path[at] === '\\') at += 1;
    else if (path[at] === quote) return at;
  }
  throw invalidPath(path, start);
}

function withoutEscapes(text: string): string {
  return text.includes('\\') ? text.replace(/\\(.)/gsu, '$1') : text;
}

function invalidPath(path: string, position: number): DatabaseError {
  // Wire: both sentences are the service's, and parts of each are asserted word for word by the official tests (wire 6).
  return new DatabaseError(
    'invalid-definition',
    `The partition key component definition path '${path}' could not be accepted, failed near position '${position}'. ` +
      'Partition key paths must contain only valid characters and not contain a trailing slash or wildcard character.',
    { detail: { path } },
  );
}

function invalid(message: string): DatabaseError {
  return new DatabaseError('invalid-definition', message);
}
