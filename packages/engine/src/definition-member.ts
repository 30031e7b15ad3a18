// The members of a container's definition, as a client may have written them.

import { DatabaseError } from '@tidemark/model';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The choice that the text names, whatever its case: clients differ in it, the service reports one spelling. */
export function oneOf<Choice extends string>(text: unknown, choices: readonly Choice[], what: string): Choice {
  const choice = choices.find((each) => typeof text === 'string' && each.toLowerCase() === text.toLowerCase());
  if (choice === undefined) throw invalid(`The member ${what} must be one of: ${choices.join(', ')}.`);
  return choice;
}

/** Clients send null for policies they leave out. */
export function optionalObject(input: unknown, what: string): JsonObject {
  if (input === undefined || input === null) return {};
  if (!isObject(input)) throw invalid(`The member ${what} of a container definition must be an object.`);
  return input;
}

export function optionalArray(policy: JsonObject, name: string): readonly unknown[] | undefined {
  const value = own(policy, name);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw invalid(`The member ${name} of a container definition must be an array.`);
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function own(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

export function invalid(message: string): DatabaseError {
  return new DatabaseError('invalid-definition', message);
}
