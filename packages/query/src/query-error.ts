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
  /** `SC1001` and so on; a few are numbers in the service. What the text is not wrong in, and cannot be done all the same, has none. */
  readonly code: string | number | undefined;
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

/** The text can be understood, but not be done. */
export function refusedQuery(message: string): QueryError {
  return new QueryError([{ code: undefined, message }]);
}

/** The message of the service: JSON text in a sentence. What has no code has another form there. */
export function wireMessage(problems: readonly QueryProblem[]): string {
  if (problems.every(({ code }) => code === undefined)) {
    return JSON.stringify({ Errors: problems.map(({ message }) => message) });
  }
  const errors = problems.map(({ code, message, span }) => ({
    severity: 'Error',
    ...(span === undefined ? {} : { location: { start: span.start, end: span.end } }),
    code,
    message,
  }));
  return JSON.stringify({ errors });
}

function describe({ code, message, span }: QueryProblem): string {
  if (code === undefined) return message;
  return span === undefined ? `${message} (${code})` : `${message} (${code}, at ${span.start})`;
}
