// Random queries over the documents of random-documents.ts, in the whole grammar. Expressions are asked for by the kind of value that they
// should have, and mostly have it, so that rows come out; a few queries are wrong on purpose.

import type { Value } from '../src/value/value.ts';
import type { QueryParameter } from './all-pages.ts';
import type { Draw } from './draw.ts';
import { inPercent, listOf, oneOf } from './draw.ts';
import { valueText } from './random-documents.ts';
import type { Kind } from './random-expression.ts';
import { ExpressionWriter } from './random-expression.ts';

export interface RandomQuery {
  readonly text: string;
  readonly parameters: readonly QueryParameter[];
}

export function randomQuery(draw: Draw): RandomQuery {
  const writer = new QueryWriter(draw);
  const text = writer.block([], 'outermost', 2);
  return { text, parameters: writer.parameters };
}

/** What a block may begin with: the container, the container in a block within, or what the blocks around it have. */
type Role = 'outermost' | 'of-container' | 'of-row';

class QueryWriter {
  readonly parameters: QueryParameter[] = [];
  readonly #draw: Draw;
  readonly #expressions: ExpressionWriter;

  constructor(draw: Draw) {
    this.#draw = draw;
    this.#expressions = new ExpressionWriter(
      draw,
      (scope, depth) => this.block(scope, 'of-row', depth),
      () => this.#parameter(JSON.parse(valueText(draw, 2)) as Value),
    );
  }

  block(outer: readonly string[], role: Role, depth: number): string {
    const draw = this.#draw;
    const { text: from, own } = this.#from(outer, role, depth);
    const scope = [...own, ...outer.filter((name) => !own.includes(name))];
    const where = inPercent(draw, 25) ? ` WHERE ${this.#expressions.of('boolean', scope, depth)}` : '';
    const isGrouped = inPercent(draw, 15);
    const hasAggregates = !isGrouped && inPercent(draw, 15);
    const keys = isGrouped ? listOf(draw, 3, () => this.#expressions.of(this.#kind(), scope, 1), 1) : [];
    const selection =
      isGrouped || hasAggregates ? this.#groupSelection(keys, scope) : this.#selection(scope, own, depth);
    const groupBy = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`;
    const orderBy = (isGrouped ? inPercent(draw, 1) : inPercent(draw, 25)) ? this.#orderBy(scope, role) : '';
    const distinct = inPercent(draw, 20) ? 'DISTINCT ' : '';
    const top = inPercent(draw, 12) ? `TOP ${this.#count()} ` : '';
    const offset = inPercent(draw, top === '' ? 12 : 1)
      ? ` OFFSET ${oneOf(draw, ['0', '1', this.#count()])} LIMIT ${this.#count()}`
      : '';
    return `SELECT ${distinct}${top}${selection}${from}${where}${groupBy}${orderBy}${offset}`;
  }

  #kind(): Kind {
    return oneOf(this.#draw, ['number', 'string', 'any', 'boolean', 'array', 'object']);
  }

  #count(): string {
    const draw = this.#draw;
    const count = oneOf(draw, [1, 2, 3, 5, 9, 1, 2, 3, 4, 0]);
    if (!inPercent(draw, 20)) return String(count);
    return this.#parameter(inPercent(draw, 3) ? oneOf<Value>(draw, [-1, 0.5, 'a', null, 5e9]) : count);
  }

  #parameter(value: Value): string {
    const name = `@p${this.parameters.length}`;
    this.parameters.push({ name, value });
    return name;
  }

  #from(
    outer: readonly string[],
    role: Role,
    depth: number,
  ): { readonly text: string; readonly own: readonly string[] } {
    const draw = this.#draw;
    if (inPercent(draw, role === 'of-row' ? 25 : 4)) return { text: '', own: [] };
    const own: string[] = [];
    const add = (): string => {
      const free = ['c', 'x', 'y', 'z', 'w', 'v', 'u'].filter((name) => !own.includes(name) || inPercent(draw, 1));
      own.push(oneOf(draw, free));
      return own.at(-1) as string;
    };
    const first = role === 'of-row' ? this.#source(outer, add, depth) : this.#containerSource(add, depth);
    const joins = listOf(draw, inPercent(draw, 30) ? 2 : 0, () => {
      const scope = [...own, ...outer];
      return ` JOIN ${this.#source(scope, add, depth)}`;
    });
    return { text: ` FROM ${first}${joins.join('')}`, own };
  }

  #containerSource(add: () => string, depth: number): string {
    const draw = this.#draw;
    const form = depth > 0 ? draw.upTo(9) : draw.upTo(6);
    if (form < 4) return add();
    if (form === 4) return `root AS ${add()}`;
    if (form === 5) return `${oneOf(draw, ['root.o', 'root.list', 'root.list[0]', 'root["c d"]'])} ${add()}`;
    if (form === 6) return `${add()} IN root.${oneOf(draw, ['t', 'list'])}`;
    const nested = `(${this.block([], 'of-container', depth - 1)})`;
    return form === 7 ? `${add()} IN ${nested}` : `${nested} AS ${add()}`;
  }

  #source(scope: readonly string[], add: () => string, depth: number): string {
    const draw = this.#draw;
    const form = depth > 0 ? draw.upTo(9) : draw.upTo(7);
    if (scope.length > 0 && form < 8) {
      const path = this.#expressions.path(form < 6 ? 'array' : 'any', scope, true);
      return form < 6 ? `${add()} IN ${path}` : `${path} AS ${add()}`;
    }
    const nested = `(${this.block(scope, 'of-row', Math.max(0, depth - 1))})`;
    return form % 2 === 0 ? `${nested} AS ${add()}` : `${add()} IN ${nested}`;
  }

  #selection(scope: readonly string[], own: readonly string[], depth: number): string {
    const draw = this.#draw;
    const form = draw.upTo(9);
    if (form < 4) return `VALUE ${this.#expressions.of(this.#kind(), scope, depth)}`;
    if (form < 6 && (own.length === 1 || inPercent(draw, 5))) return '*';
    const items = listOf(draw, 3, () => this.#expressions.of(this.#kind(), scope, depth), 1);
    return items.map((item, at) => item + this.#alias(at)).join(', ');
  }

  /** Mostly another one for each item, so that few names are there twice. */
  #alias(at: number): string {
    const draw = this.#draw;
    if (!inPercent(draw, 85)) return '';
    return (inPercent(draw, 80) ? ' AS ' : ' ') + (inPercent(draw, 2) ? 'm0' : `m${at}`);
  }

  #groupSelection(keys: readonly string[], scope: readonly string[]): string {
    const draw = this.#draw;
    const item = (): string => {
      const form = draw.upTo(9);
      const key = keys.length === 0 ? '1' : oneOf(draw, keys);
      if (form < 3) return key;
      if (form < 8) return this.#aggregate(scope);
      if (form === 8) return oneOf(draw, [`UPPER(${key})`, `[${key}]`, `(${key} ?? 0)`, `IS_DEFINED(${key})`]);
      return oneOf(draw, ["'x'", `{k: ${key}, n: ${this.#aggregate(scope)}}`, `(${this.#aggregate(scope)} + 1)`, key]);
    };
    if (inPercent(draw, 40)) return `VALUE ${item()}`;
    return listOf(draw, 4, item, 1)
      .map((text, at) => text + this.#alias(at))
      .join(', ');
  }

  #aggregate(scope: readonly string[]): string {
    const draw = this.#draw;
    const name = oneOf(draw, ['COUNT', 'SUM', 'AVG', 'MIN', 'MAX', 'COUNTIF', 'MAKELIST', 'makeset']);
    const kind: Kind = name === 'COUNTIF' ? 'boolean' : oneOf(draw, ['number', 'number', 'string', 'any']);
    return `${name}(${inPercent(draw, 20) ? '1' : this.#expressions.of(kind, scope, 1)})`;
  }

  #orderBy(scope: readonly string[], role: Role): string {
    const draw = this.#draw;
    const item = (): string => {
      const isPath = role === 'outermost' && !inPercent(draw, 2);
      const names = scope.slice(0, role === 'outermost' ? 1 : undefined);
      const kind = oneOf<Kind>(draw, ['number', 'string', 'any']);
      const key = isPath ? this.#expressions.path(kind, names, true) : this.#expressions.of(kind, scope, 1);
      // The plain evaluator does not know in which direction distances are sorted.
      if (/^\(*VectorDistance/i.test(key)) return 'null';
      return key + oneOf(draw, ['', ' ASC', ' DESC', ' DESC']);
    };
    return ` ORDER BY ${listOf(draw, 3, item, 1).join(', ')}`;
  }
}
