// Operators of one and of two operands (spec query 2.2, 2.3). What has the wrong type is undefined, never an error.

import type { BinaryOperator, UnaryOperator } from '../syntax/tree.ts';
import { truthNot } from '../value/logic.ts';
import type { Value } from '../value/value.ts';
import { checkSize, textBytes } from '../value/value-size.ts';
import type { Work } from '../value/work.ts';
import { comparedInOrder, isSame } from './comparison.ts';
import type { Evaluate } from './row.ts';

export function compileUnary(operator: UnaryOperator, operand: Evaluate): Evaluate {
  switch (operator) {
    case 'NOT':
      return (row) => truthNot(operand(row));
    case '-':
      return ofNumber(operand, (a) => -a);
    case '+':
      return ofNumber(operand, (a) => a);
    case '~':
      return ofNumber(operand, (a) => ~a);
  }
}

export function compileBinary(operator: BinaryOperator, left: Evaluate, right: Evaluate): Evaluate {
  switch (operator) {
    case '=':
      return ofDefined(left, right, isSame);
    case '!=':
      return ofDefined(left, right, (a, b, work) => !isSame(a, b, work));
    case '<':
      return ofOrdered(left, right, (order) => order < 0);
    case '<=':
      return ofOrdered(left, right, (order) => order <= 0);
    case '>':
      return ofOrdered(left, right, (order) => order > 0);
    case '>=':
      return ofOrdered(left, right, (order) => order >= 0);
    case '||':
      return ofStrings(left, right);
    default:
      return ofNumbers(left, right, arithmetic[operator]);
  }
}

const arithmetic: Readonly<
  Record<Exclude<BinaryOperator, '=' | '!=' | '<' | '<=' | '>' | '>=' | '||'>, (a: number, b: number) => number>
> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '<<': (a, b) => a << b,
  '>>': (a, b) => a >> b,
  '>>>': (a, b) => a >>> b,
};

function ofNumber(operand: Evaluate, apply: (a: number) => number): Evaluate {
  return (row) => {
    const a = operand(row);
    return typeof a === 'number' ? apply(a) : undefined;
  };
}

function ofNumbers(left: Evaluate, right: Evaluate, apply: (a: number, b: number) => number): Evaluate {
  return (row) => {
    const a = left(row);
    const b = right(row);
    return typeof a === 'number' && typeof b === 'number' ? apply(a, b) : undefined;
  };
}

function ofDefined(left: Evaluate, right: Evaluate, apply: (a: Value, b: Value, work: Work) => boolean): Evaluate {
  return (row) => {
    const a = left(row);
    const b = right(row);
    return a === undefined || b === undefined ? undefined : apply(a, b, row.work);
  };
}

/** NaN is neither less nor greater than anything, nor equal to it. */
function ofOrdered(left: Evaluate, right: Evaluate, apply: (order: number) => boolean): Evaluate {
  return (row) => {
    const order = comparedInOrder(left(row), right(row), row.work);
    return order === undefined ? undefined : apply(order);
  };
}

function ofStrings(left: Evaluate, right: Evaluate): Evaluate {
  return (row) => {
    const a = left(row);
    const b = right(row);
    if (typeof a !== 'string' || typeof b !== 'string') return undefined;
    const length = a.length + b.length;
    checkSize(length);
    row.work.make(textBytes(length));
    row.work.take(1 + length / 16);
    return a + b;
  };
}
