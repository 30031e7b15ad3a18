// Pieces of trees that no text was parsed to.

import type { Expression, SelectItem } from '../syntax/tree.ts';

export function nameOf(name: string): Expression {
  return { kind: 'name', name, ...nowhere };
}

export function memberOf(of: Expression, name: string): Expression {
  return { kind: 'member', of, name, ...nowhere };
}

export function arrayOf(items: readonly Expression[]): Expression {
  return { kind: 'array', items, ...nowhere };
}

export function objectOf(members: readonly (readonly [string, Expression])[]): Expression {
  return { kind: 'object', members: members.map(([name, value]) => ({ name, value })), ...nowhere };
}

export function callOf(name: string, args: readonly Expression[]): Expression {
  return { kind: 'call', name, isUdf: false, args, ...nowhere };
}

export function bothOf(left: Expression, right: Expression): Expression {
  return { kind: 'chain', operator: 'AND', operands: [left, right], ...nowhere };
}

export function countOf(value: number): Extract<Expression, { kind: 'number' }> {
  return { kind: 'number', value, ...nowhere };
}

export function itemOf(expression: Expression, alias?: string): SelectItem {
  return { expression, alias, ...nowhere };
}

export const nowhere = { start: 0, end: 0 } as const;
