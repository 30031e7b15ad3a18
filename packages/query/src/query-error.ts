// What is wrong with the text of a query: all of it that could be found, each with its place and the service's code.
//
// The service sends this as JSON text inside of the message (spec query 6); `wireMessage` makes it. In this process the
// message is for people.

import type { DatabaseErrorOptions } from '@tidemark/model';
import { DatabaseError } from '@tidemark/model';

/** A part of the text, in UTF-16 units from its beginning, the end not included. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface QueryProblem {
  /** `SC1001` and so on; a few are numbers in the service. */
  readonly code: string | number;
  readonly message: string;
  readonly span?: Span | undefined;
}

/** The text cannot be understood, or asks for what is not allowed. Known before anything runs. */
export class QueryError extends DatabaseError {
  readonly problems: readonly QueryProblem[];

  constructor(problems: readonly QueryProblem[], options: DatabaseErrorOptions = {}) {
    super('invalid-query', problems.map(describe).join(' '), options);
    this.name = 'QueryError';
    this.problems = problems;
  }
}

export function queryError(code: string | number, message: string, span?: Span): QueryError {
  return new QueryError([{ code, message, span }]);
}

/** The message of the service: JSON text in a sentence. */
export function wireMessage(problems: readonly QueryProblem[]): string {
  const errors = problems.map(({ code, message, span }) => ({
    severity: 'Error',
    ...(span === undefined ? {} : { location: { start: span.start, end: span.end } }),
    code,
    message,
  }));
  return JSON.stringify({ errors });
}

function describe({ code, message, span }: QueryProblem): string {
  return span === undefined ? `${message} (${code})` : `${message} (${code}, at ${span.start})`;
}
