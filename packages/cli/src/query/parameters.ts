// `--param name=value` and `--partition-key value`: JSON, or a string without its quotes where it is none.

import type { PartitionKeyDefinition, PartitionKeyValues } from '@tidemark/model';
import { isDatabaseError, parsePartitionKeyHeader } from '@tidemark/model';
import { UsageError } from '../usage-error.ts';
import type { Parameter } from './ask.ts';

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
  } catch {
    return JSON.stringify(text);
  }
}
