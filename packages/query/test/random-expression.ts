// Random expressions of a kind, over the aliases of a scope.

import { functionFamilies } from '../src/functions/function-table.ts';
import type { Draw } from './draw.ts';
import { inPercent, listOf, oneOf } from './draw.ts';
import { numberTexts, oddNames, strings } from './random-documents.ts';

export type Kind = 'any' | 'boolean' | 'number' | 'string' | 'array' | 'object';

const functions = functionFamilies.flatMap((family) => family.functions);

const paths: Readonly<Record<Kind, readonly string[]>> = {
  any: [
    '',
    '.id',
    '.a',
    '.b',
    '.t',
    '.o',
    '.list',
    '.o["a"]',
    '.t[2]',
    ...oddNames.map((name) => `[${JSON.stringify(name)}]`),
  ],
  boolean: ['.t[0]', '["10"]', '.a'],
  number: ['.a', '.o.a', '', '.t[0]', '.list[0].a', '._ts'],
  string: ['.b', '.id', '.o.b', '', '.t[1]', '.list[0]["b"]'],
  array: ['.t', '.list', '.o.t', '.list[1].t', ''],
  object: ['.o', '', '.list[0]'],
};

export class ExpressionWriter {
  readonly #draw: Draw;
  readonly #block: (scope: readonly string[], depth: number) => string;
  readonly #parameter: () => string;

  constructor(draw: Draw, block: (scope: readonly string[], depth: number) => string, parameter: () => string) {
    this.#draw = draw;
    this.#block = block;
    this.#parameter = parameter;
  }

  of(kind: Kind, scope: readonly string[], depth: number): string {
    const draw = this.#draw;
    const wanted = inPercent(draw, 8) ? 'any' : kind;
    if (depth <= 0 || inPercent(draw, 40)) return this.#atom(wanted, scope);
    const text = this.#compound(wanted, scope, depth - 1);
    return inPercent(draw, 25) ? text : `(${text})`;
  }

  /** `isFixed`: of names and places only. */
  path(kind: Kind, scope: readonly string[], isFixed = false): string {
    const draw = this.#draw;
    if (scope.length === 0 || inPercent(draw, 0.1)) return 'nobody';
    const steps = oneOf(draw, inPercent(draw, 5) ? paths.any : paths[kind]);
    const further =
      !isFixed && inPercent(draw, 5) ? oneOf(draw, ['[1 - 1]', '[@p0]', '["a" || ""]', '[0.5]', '[-1]']) : '';
    return oneOf(draw, scope) + steps + (further === '[@p0]' ? `[${this.#parameter()}]` : further);
  }

  #atom(kind: Kind, scope: readonly string[]): string {
    const draw = this.#draw;
    if (scope.length > 0 && inPercent(draw, 60)) return this.path(kind, scope);
    if (inPercent(draw, 5)) return this.#parameter();
    switch (kind) {
      case 'boolean':
        return oneOf(draw, ['true', 'false']);
      case 'number':
        return oneOf(draw, [
          ...numberTexts.filter((text) => !text.startsWith('-')),
          'NaN',
          'Infinity',
          '.5',
          '0x1F',
          '3.',
        ]);
      case 'string':
        return this.#string(oneOf(draw, strings));
      case 'array':
        return oneOf(draw, ['[]', '[1, 2]', "['a', 'b', null]", '[[1], {a: 1}, undefined]']);
      case 'object':
        return oneOf(draw, ['{}', '{a: 1}', '{"a": 1, b: "a"}', "{'10': 1, a: undefined, 'c d': [1]}", '{a: 1, a: 2}']);
      case 'any':
        return oneOf(draw, ['null', 'undefined', 'true', '1', '"a"', '[]', '{}']);
    }
  }

  #string(text: string): string {
    const json = JSON.stringify(text);
    return inPercent(this.#draw, 50) ? json : `'${json.slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`;
  }

  #compound(kind: Kind, scope: readonly string[], depth: number): string {
    if (inPercent(this.#draw, 15)) return this.#anyOf(kind, scope, depth);
    switch (kind) {
      case 'boolean':
        return this.#boolean(scope, depth);
      case 'number':
        return this.#number(scope, depth);
      case 'string':
        return this.#text(scope, depth);
      case 'array':
        return this.#array(scope, depth);
      case 'object':
        return `{${listOf(this.#draw, 3, () => this.#member(scope, depth)).join(', ')}}`;
      case 'any':
        return this.#anyOf('any', scope, depth);
    }
  }

  /** What has the kind of its parts. */
  #anyOf(kind: Kind, scope: readonly string[], depth: number): string {
    const draw = this.#draw;
    const part = (): string => this.of(kind, scope, depth);
    switch (draw.upTo(7)) {
      case 0:
        return `${this.of('boolean', scope, depth)} ? ${part()} : ${part()}`;
      case 1:
        return listOf(draw, 3, part, 2).join(' ?? ');
      case 2:
        return `IIF(${this.of('boolean', scope, depth)}, ${part()}, ${part()})`;
      case 3:
        return `(${this.#block(scope, depth)})${oneOf(draw, ['', '', '.a', '[0]'])}`;
      case 4:
        return `${oneOf(draw, ['FIRST', 'LAST', 'ALL', 'EXISTS', 'ARRAY'])}(${this.#block(scope, depth)})`;
      case 5:
        return `[${part()}, ${part()}][${this.of('number', scope, 0)}]`;
      case 6:
        return `{a: ${part()}}${oneOf(draw, ['.a', '["a"]', '.b'])}`;
      default:
        return this.#call(scope, depth);
    }
  }

  #boolean(scope: readonly string[], depth: number): string {
    const draw = this.#draw;
    const kind = oneOf<Kind>(draw, ['number', 'string', 'any', 'boolean', 'array', 'object']);
    const part = (of: Kind = kind): string => this.of(of, scope, depth);
    const not = oneOf(draw, ['', '', 'NOT ']);
    switch (draw.upTo(11)) {
      case 0:
      case 1:
        return `${part()} ${oneOf(draw, ['=', '!=', '<', '<=', '>', '>=', '<>'])} ${part()}`;
      case 2:
        return listOf(draw, 3, () => part('boolean'), 2).join(' AND ');
      case 3:
        return listOf(draw, 3, () => part('boolean'), 2).join(' OR ');
      case 4:
        return `NOT ${part('boolean')}`;
      case 5:
        return `${part()} ${not}BETWEEN ${part()} AND ${part()}`;
      case 6:
        return `${part()} ${not}IN (${listOf(draw, 4, () => part(), 1).join(', ')})`;
      case 7:
        return `${part('string')} ${not}LIKE ${this.#pattern(scope, depth)}`;
      case 8:
        return `EXISTS(${this.#block(scope, depth)})`;
      case 9:
        return `${oneOf(draw, ['IS_DEFINED', 'IS_NUMBER', 'is_string', 'IS_NULL', 'IS_ARRAY', 'IS_INTEGER'])}(${part()})`;
      case 10:
        return `${oneOf(draw, ['STARTSWITH', 'CONTAINS', 'ENDSWITH'])}(${part('string')}, ${part('string')})`;
      default:
        return `ARRAY_CONTAINS(${part('array')}, ${part()})`;
    }
  }

  #pattern(scope: readonly string[], depth: number): string {
    const draw = this.#draw;
    if (inPercent(draw, 15)) return this.of('string', scope, depth);
    const parts = ['%', 'a', '_', 'b', '[ab]', '[^a]', '[a-c]', '!', '[', ']', '[]', '[^]', '[%]', '\ud834', 'é'];
    const text = listOf(draw, 5, () => oneOf(draw, parts)).join('');
    return (
      JSON.stringify(text) + (inPercent(draw, 25) ? oneOf(draw, [" ESCAPE '!'", " ESCAPE '%'", " ESCAPE '['"]) : '')
    );
  }

  #number(scope: readonly string[], depth: number): string {
    const draw = this.#draw;
    const part = (of: Kind = 'number'): string => this.of(of, scope, depth);
    switch (draw.upTo(5)) {
      case 0:
      case 1: {
        const operators = ['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>', '>>>'];
        return `${part()} ${oneOf(draw, operators)} ${part()}`;
      }
      case 2:
        return `${oneOf(draw, ['-', '+', '~', '- -'])} ${part()}`;
      case 3:
        return `${oneOf(draw, ['LENGTH', 'ToString', 'StringToNumber'])}(${part('string')})`;
      case 4:
        return `${oneOf(draw, ['ARRAY_LENGTH', 'ARRAY_SUM', 'ARRAY_MAX'])}(${part('array')})`;
      default:
        return `(SELECT VALUE ${oneOf(draw, ['COUNT', 'SUM', 'MAX'])}(y) FROM y IN ${part('array').startsWith('[') ? '(SELECT VALUE [1, 2])' : this.path('array', scope, true)})`;
    }
  }

  #text(scope: readonly string[], depth: number): string {
    const draw = this.#draw;
    const part = (of: Kind = 'string'): string => this.of(of, scope, depth);
    switch (draw.upTo(3)) {
      case 0:
        return `${part()} || ${part()}`;
      case 1:
        return `${oneOf(draw, ['UPPER', 'lower', 'REVERSE', 'TRIM', 'ToString'])}(${part()})`;
      case 2:
        return `CONCAT(${listOf(draw, 3, () => part(), 2).join(', ')})`;
      default:
        return `SUBSTRING(${part()}, ${part('number')}, ${part('number')})`;
    }
  }

  #array(scope: readonly string[], depth: number): string {
    const draw = this.#draw;
    switch (draw.upTo(2)) {
      case 0:
        return `[${listOf(draw, 3, () => this.of('any', scope, depth)).join(', ')}]`;
      case 1:
        return `ARRAY(${this.#block(scope, depth)})`;
      default:
        return `${oneOf(draw, ['ARRAY_CONCAT', 'SETUNION', 'SETINTERSECT', 'SETDIFFERENCE'])}(${this.of('array', scope, depth)}, ${this.of('array', scope, depth)})`;
    }
  }

  #member(scope: readonly string[], depth: number): string {
    const name = oneOf(this.#draw, ['a', 'b', '"c d"', "'10'", 'value', '"__proto__"']);
    return `${name}: ${this.of('any', scope, depth)}`;
  }

  /** Of any function, with arguments that mostly are of its types. */
  #call(scope: readonly string[], depth: number): string {
    const draw = this.#draw;
    const { name, takes } = oneOf(draw, functions);
    const types = takes === '' ? [] : takes.split(', ');
    const given = types.filter((type) => !type.endsWith('?') || inPercent(draw, 50));
    const more = takes.endsWith('...') ? listOf(draw, 2, () => types.at(-1) as string) : [];
    const args = [...given, ...more].map((type) => this.of(kindOf(type), scope, depth));
    const wrong = inPercent(draw, 1) ? [...args, 'COUNT(1)'] : args;
    return `${name}(${wrong.join(', ')})`;
  }
}

function kindOf(type: string): Kind {
  const word = type.replace(/\?|\.\.\./, '');
  if (word === 'integer') return 'number';
  // Those that are no kind are the types that take whatever there is.
  return word === 'maybe' ? 'any' : (word as Kind);
}
