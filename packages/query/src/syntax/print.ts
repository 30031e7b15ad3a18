// A tree as text, in the canonical form of the service: clauses on lines of their own, every operator in parentheses, strings
// in double quotes, `AS` always written, subqueries indented by four spaces (spec query 5.1). What is printed parses to the same tree.

import { isBareName } from './lexer.ts';
import type { Collection, Expression, OrderItem, Query, SelectItem, Selection, Source } from './tree.ts';

export function printQuery(query: Query): string {
  return clausesOf(query).join('\n');
}

function clausesOf(query: Query): readonly string[] {
  const distinct = query.isDistinct ? 'DISTINCT ' : '';
  const top = query.top === undefined ? '' : `TOP ${printExpression(query.top)} `;
  return [
    `SELECT ${distinct}${top}${printSelection(query.selection)}`,
    ...(query.from === undefined ? [] : [`FROM ${printSource(query.from)}`]),
    ...(query.where === undefined ? [] : [`WHERE ${printExpression(query.where)}`]),
    ...(query.groupBy.length === 0 ? [] : [`GROUP BY ${query.groupBy.map(printExpression).join(', ')}`]),
    ...(query.orderBy === undefined
      ? []
      : [
          `ORDER BY ${query.orderBy.kind === 'rank' ? 'RANK ' : ''}${query.orderBy.items.map(printOrderItem).join(', ')}`,
        ]),
    ...(query.offset === undefined || query.limit === undefined
      ? []
      : [`OFFSET ${printExpression(query.offset)} LIMIT ${printExpression(query.limit)}`]),
  ];
}

function printSelection(selection: Selection): string {
  switch (selection.kind) {
    case 'star':
      return '*';
    case 'value':
      return `VALUE ${printExpression(selection.expression)}`;
    case 'list':
      return selection.items.map(printItem).join(', ');
  }
}

function printItem({ expression, alias }: SelectItem): string {
  return alias === undefined ? printExpression(expression) : `${printExpression(expression)} AS ${alias}`;
}

function printOrderItem({ expression, direction }: OrderItem): string {
  return direction === undefined ? printExpression(expression) : `${printExpression(expression)} ${direction}`;
}

function printSource(source: Source): string {
  switch (source.kind) {
    case 'collection': {
      const collection = printCollection(source.collection);
      return source.alias === undefined ? collection : `${collection} AS ${source.alias}`;
    }
    case 'each':
      return `${source.alias} IN ${printCollection(source.collection)}`;
    case 'join':
      return `${printSource(source.left)}\nJOIN ${printSource(source.right)}`;
  }
}

function printCollection(collection: Collection): string {
  if (collection.kind === 'subquery') return printSubquery(collection.query);
  const steps = collection.steps.map((step) => (typeof step === 'number' ? `[${step}]` : printMember(step)));
  return collection.root + steps.join('');
}

function printSubquery(query: Query): string {
  const lines = clausesOf(query).join('\n').split('\n');
  return `(\n${lines.map((line) => `    ${line}`).join('\n')}\n)`;
}

export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
      return printNumber(expression.value);
    case 'string':
      return printString(expression.value);
    case 'constant':
      return String(expression.value);
    case 'parameter':
    case 'name':
      return expression.name;
    case 'member':
      return printAccessed(expression.of) + printMember(expression.name);
    case 'index':
      return `${printAccessed(expression.of)}[${printExpression(expression.by)}]`;
    case 'array':
      return `[${printList(expression.items)}]`;
    case 'object':
      return `{${expression.members.map(({ name, value }) => `${printString(name)}: ${printExpression(value)}`).join(', ')}}`;
    case 'call':
      return `${expression.isUdf ? 'udf.' : ''}${expression.name}(${printList(expression.args)})`;
    case 'unary': {
      const space = expression.operator === 'NOT' ? ' ' : '';
      return `(${expression.operator}${space}${printExpression(expression.operand)})`;
    }
    case 'binary':
      return `(${printExpression(expression.left)} ${expression.operator} ${printExpression(expression.right)})`;
    case 'chain':
      return printChain(expression.operator, expression.operands);
    case 'between': {
      const not = expression.isNegated ? 'NOT ' : '';
      const { value, low, high } = expression;
      return `(${printExpression(value)} ${not}BETWEEN ${printExpression(low)} AND ${printExpression(high)})`;
    }
    case 'in':
      return `(${printExpression(expression.value)} ${expression.isNegated ? 'NOT ' : ''}IN (${printList(expression.list)}))`;
    case 'like': {
      const ending = expression.escapedBy === undefined ? '' : ` ESCAPE ${printString(expression.escapedBy)}`;
      const not = expression.isNegated ? 'NOT ' : '';
      return `(${printExpression(expression.value)} ${not}LIKE ${printExpression(expression.pattern)}${ending})`;
    }
    case 'conditional': {
      return `(${printConditional(expression)})`;
    }
    case 'subquery':
      return `${expression.form === 'scalar' ? '' : expression.form}${printSubquery(expression.query)}`;
  }
}

/** A dot behind a number would be one of its own, and behind `udf` it begins a call. */
function printAccessed(of: Expression): string {
  const isApart = of.kind === 'number' || (of.kind === 'name' && of.name === 'udf');
  return isApart ? `(${printExpression(of)})` : printExpression(of);
}

/** What follows the last colon needs no parentheses: a long row of conditions is no deep one. */
function printConditional({ condition, yes, no }: Extract<Expression, { kind: 'conditional' }>): string {
  const otherwise = no.kind === 'conditional' ? printConditional(no) : printExpression(no);
  return `${printExpression(condition)} ? ${printExpression(yes)} : ${otherwise}`;
}

/** As the service has it: `((a AND b) AND c)`. A long one is flat, so that who gets the text may send it back. */
function printChain(operator: string, operands: readonly Expression[]): string {
  const texts = operands.map(printExpression);
  if (texts.length > nestedChainMax) return `(${texts.join(` ${operator} `)})`;
  return '('.repeat(texts.length - 1) + texts.map((text, at) => (at === 0 ? text : ` ${operator} ${text})`)).join('');
}

const nestedChainMax = 64;

function printList(expressions: readonly Expression[]): string {
  return expressions.map(printExpression).join(', ');
}

function printMember(name: string): string {
  return isBareName(name) ? `.${name}` : `[${printString(name)}]`;
}

function printNumber(value: number): string {
  return Object.is(value, -0) ? '0' : String(value);
}

function printString(value: string): string {
  return JSON.stringify(value);
}
