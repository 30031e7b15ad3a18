// FROM, as nested loops: each source gives rows to the next one, the last one to whoever asked.

import type { BoundSource } from '../bind/bound.ts';
import { isArray } from '../value/value.ts';
import { bounded } from '../value/value-size.ts';
import type { Compiler } from './expression.ts';
import { compileExpression } from './expression.ts';
import type { Row } from './row.ts';

/** Calls `next` for each row, until that says that it has enough. Says so too. */
export type Rows = (row: Row, next: (row: Row) => boolean) => boolean;

export function compileSources(compiler: Compiler, sources: readonly BoundSource[]): Rows {
  const [first, ...rest] = sources.map((source) => compileSource(compiler, source));
  if (first === undefined) return (row, next) => next(row);
  return rest.reduce<Rows>((before, source) => (row, next) => before(row, (inner) => source(inner, next)), first);
}

function compileSource(compiler: Compiler, source: BoundSource): Rows {
  const { slot } = source;
  switch (source.kind) {
    case 'container':
      // The document is in the row already.
      return (row, next) => next(row);
    case 'value': {
      const of = compileExpression(compiler, source.of);
      return (row, next) => {
        const value = of(row);
        if (value === undefined) return true;
        row.slots[slot] = value;
        row.count();
        return next(row);
      };
    }
    case 'each': {
      const of = compileExpression(compiler, source.of);
      return (row, next) => eachElement(row, slot, of(row), next);
    }
    case 'block': {
      const rows = compiler.subquery(source.block);
      const { isEach } = source;
      return (row, next) => {
        let isWanted = true;
        rows(row, (value) => {
          if (isEach) isWanted = eachElement(row, slot, value, next);
          else {
            row.slots[slot] = bounded(value);
            isWanted = next(row);
          }
          return isWanted;
        });
        return isWanted;
      };
    }
  }
}

function eachElement(row: Row, slot: number, array: Row['slots'][number], next: (row: Row) => boolean): boolean {
  if (!isArray(array)) return true;
  for (const element of array) {
    row.slots[slot] = element;
    row.count();
    if (!next(row)) return false;
  }
  return true;
}
