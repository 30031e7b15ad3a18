// Values that are known before there is a document: literals, parameters, and what is computed of them alone.

import type { BoundExpression, BoundQuery } from '../bind/bound.ts';
import { compileExpression } from '../compile/expression.ts';
import { Row } from '../compile/row.ts';
import { MemberNames, StoredDocument } from '../compile/stored-document.ts';
import type { FunctionContext } from '../functions/query-function.ts';
import type { Value } from '../value/value.ts';

/** Undefined where it needs a document or a function; functions may depend on the time and on chance. */
export type ConstantOf = (expression: BoundExpression) => { readonly value: Value } | undefined;

export function constantsOf(query: BoundQuery, parameters: readonly Value[]): ConstantOf {
  const names = new MemberNames();
  const compiler = { query, names, subquery: () => () => undefined, allPass: () => () => false };
  const row = new Row(new StoredDocument(names), 0, parameters, noContext);
  return (expression) => {
    if (expression.kind === 'literal') return expression;
    return isConstant(expression) ? { value: compileExpression(compiler, expression)(row) } : undefined;
  };
}

/** No function is called. */
const noContext: FunctionContext = { nowMs: () => 0, startMs: 0, random: () => 0 };

function isConstant(expression: BoundExpression): boolean {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
      return true;
    case 'path':
    case 'call':
    case 'document-id':
    case 'subquery':
    case 'aggregate':
    case 'group-key':
      return false;
    case 'member':
      return isConstant(expression.of);
    case 'index':
      return isConstant(expression.of) && isConstant(expression.by);
    case 'array':
      return expression.items.every(isConstant);
    case 'object':
      return expression.members.every(({ value }) => isConstant(value));
    case 'unary':
      return isConstant(expression.operand);
    case 'binary':
      return isConstant(expression.left) && isConstant(expression.right);
    case 'chain':
      return expression.operands.every(isConstant);
    case 'between':
      return [expression.value, expression.low, expression.high].every(isConstant);
    case 'in':
      return isConstant(expression.value) && expression.list.every(isConstant);
    case 'like':
      return isConstant(expression.value) && isConstant(expression.pattern);
    case 'conditional':
      return [expression.condition, expression.yes, expression.no].every(isConstant);
  }
}
