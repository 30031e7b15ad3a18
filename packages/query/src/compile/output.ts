// A row of a result as JSON text. What is taken from a document as it is, is not parsed and written again: numbers and the
// order of members stay what they were.

import type { BoundExpression, BoundSelection } from '../bind/bound.ts';
import { jsonText } from '../value/json-text.ts';
import { bounded, checkSize, sizeOf } from '../value/value-size.ts';
import type { Compiler } from './expression.ts';
import { compileExpression } from './expression.ts';
import type { Row } from './row.ts';

/** Undefined: no row, or no member. */
export type Output = (row: Row) => string | undefined;

export function compileOutput(compiler: Compiler, selection: BoundSelection): Output {
  return selection.kind === 'value'
    ? compileText(compiler, selection.expression)
    : objectText(selection.items.map(({ name, expression }) => [name, compileText(compiler, expression)] as const));
}

function compileText(compiler: Compiler, expression: BoundExpression): Output {
  switch (expression.kind) {
    case 'path': {
      if (expression.slot !== compiler.query.documentSlot) break;
      if (expression.steps.length === 0)
        return (row) => {
          const { text } = row.document;
          row.work.take(text.length / 8);
          return text;
        };
      const path = compiler.names.pathOf(expression.steps);
      return path === undefined ? () => undefined : (row) => row.document.textOf(path, row.work);
    }
    case 'object':
      return objectText(expression.members.map(({ name, value }) => [name, compileText(compiler, value)] as const));
    case 'array':
      return arrayText(expression.items.map((item) => compileText(compiler, item)));
  }
  const evaluate = compileExpression(compiler, expression);
  return (row) => {
    const value = evaluate(row);
    if (value === undefined) return undefined;
    bounded(value);
    row.work.take(typeof value === 'string' ? 1 + value.length / 4 : sizeOf(value));
    return jsonText(value);
  };
}

function objectText(members: readonly (readonly [string, Output])[]): Output {
  // Of one name twice the last one counts.
  const last = [...new Map(members)].map(([name, text]) => [`${JSON.stringify(name)}:`, text] as const);
  return (row) => {
    let object = '';
    for (const [name, text] of last) {
      const value = text(row);
      if (value === undefined) continue;
      object += object === '' ? name + value : `,${name}${value}`;
      checkSize(object.length);
    }
    return `{${object}}`;
  };
}

function arrayText(items: readonly Output[]): Output {
  return (row) => {
    let array = '';
    for (const text of items) {
      const value = text(row);
      if (value === undefined) continue;
      array += array === '' ? value : `,${value}`;
      checkSize(array.length);
    }
    return `[${array}]`;
  };
}
