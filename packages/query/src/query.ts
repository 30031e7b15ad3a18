// From the text of a query to something that can be run: parsed, bound and compiled once, and kept for the next time.

import { bindQuery } from './bind/binder.ts';
import type { ContainerFacts } from './bind/container-facts.ts';
import { noFacts } from './bind/container-facts.ts';
import type { Program } from './compile/program.ts';
import { compileQuery } from './compile/program.ts';
import { parseQuery } from './syntax/parser.ts';
import type { Query } from './syntax/tree.ts';

export interface PreparedQuery {
  readonly tree: Query;
  readonly program: Program;
}

export function prepareQuery(
  text: string,
  parameterNames: readonly string[],
  facts: ContainerFacts = noFacts,
): PreparedQuery {
  const tree = parseQuery(text);
  return { tree, program: compileQuery(bindQuery(tree, parameterNames, facts)) };
}
