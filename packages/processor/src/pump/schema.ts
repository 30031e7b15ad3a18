// A validator of the user's choice, as the Standard Schema interface describes it: any library that has it will do.

import { messageOf } from '../processor-error.ts';

export interface StandardSchema<T = unknown> {
  readonly '~standard': {
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>;
  };
}

export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type Verdict = { readonly value: unknown } | { readonly reason: string };

/** A validator that throws has refused. */
export async function validate(schema: StandardSchema, value: unknown): Promise<Verdict> {
  try {
    const answer = schema['~standard'].validate(value);
    const result = answer instanceof Promise ? await answer : answer;
    if (result.issues === undefined) return { value: result.value };
    return { reason: result.issues.slice(0, issuesMax).map(describe).join('; ') };
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

/** Told of one item; more would only make its dead letter longer. */
const issuesMax = 10;

function describe(issue: StandardIssue): string {
  const path = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
