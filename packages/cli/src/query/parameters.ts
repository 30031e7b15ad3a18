// `--param name=value` and `--partition-key value`: JSON, or a string without its quotes where it does not begin like
// JSON.

import type { PartitionKeyDefinition, PartitionKeyValues } from '@tidemark/model';
import { isDatabaseError, parsePartitionKeyHeader } from '@tidemark/model';
import { suggestion } from '../nearest.ts';
import { UsageError } from '../usage-error.ts';
import type { Parameter } from './ask.ts';
import { withoutTexts } from './statements.ts';

export function readParameters(texts: readonly string[]): Parameter[] {
  const parameters = texts.map((text) => readParameter(text));
  const twice = parameters.find(({ name }, at) => parameters.findIndex((each) => each.name === name) !== at);
  if (twice !== undefined) throw new UsageError(`The parameter ${twice.name} was given twice.`);
  return parameters;
}

export function readParameter(text: string): Parameter {
  const [, name, value] = /^@?([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(`A parameter is NAME=JSON, as in city=Brest or limit=7, not '${text}'.`);
  }
  return { name: `@${name}`, json: jsonOf(value) };
}

/** A name that none of the queries has is one that was mistyped: the account would say nothing of it. */
export function checkUsed(parameters: readonly Parameter[], queries: readonly string[]): void {
  const used = queries.flatMap((query) => withoutTexts(query).match(/@\w+/g) ?? []);
  const unused = parameters.find(({ name }) => !used.includes(name));
  if (unused === undefined) return;
  const given = parameters.map(({ name }) => name);
  const missing = used.filter((name) => !given.includes(name));
  throw new UsageError(`The query has no ${unused.name}.${suggestion(unused.name, missing)}`);
}

/** `ada` and `"ada"` stand for `["ada"]`. A prefix of a hierarchical key is one where `isPrefix` says so. */
export function readPartitionKey(
  text: string,
  definition: PartitionKeyDefinition,
  isPrefix: boolean,
): PartitionKeyValues {
  const json = jsonOf(text);
  try {
    return parsePartitionKeyHeader(json.startsWith('[') ? json : `[${json}]`, definition, { prefix: isPrefix });
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    throw new UsageError(`--partition-key: ${error.message}`);
  }
}

function jsonOf(text: string): string {
  try {
    JSON.parse(text);
    return text.trim();
  } catch (error) {
    if (!/^\s*["[{]/.test(text)) return JSON.stringify(text);
    // A SyntaxError.
    throw new UsageError(`${text} begins like JSON and is none: ${(error as Error).message}`);
  }
}
