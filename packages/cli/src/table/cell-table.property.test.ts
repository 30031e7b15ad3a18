import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsLeftOut, fits, headOf, layOut, rowOf } from './cell-table.ts';
import { cellsOf } from './row-cells.ts';
import { widthOf } from './text-width.ts';

const names = fc.constantFrom('id', 'port', 'metres', '大阪', 'a long name of a member', 'x');
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'grapheme' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const rows = fc.array(fc.oneof(fc.dictionary(names, values), values), { minLength: 1, maxLength: 8 });

test('no line of a table is wider than it may be, and every row that it was laid out for fits', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 8, max: 200 }), (some, widthMax) => {
      const cells = some.map((row) => cellsOf(Buffer.from(JSON.stringify(row))));
      const layout = layOut(cells, widthMax);
      const lines = [headOf(layout), ...cells.map((row) => rowOf(layout, row))].join('').split('\n');

      expect(lines.every((line) => widthOf(line) <= widthMax)).toBe(true);
      expect(lines).toHaveLength(some.length + 3);
      expect(cells.every((row) => fits(layout, row))).toBe(true);
      expect(cells.every((row) => fits(layOut([], widthMax, layout), row))).toBe(true);
    }),
  );
});

test('with room enough every value is there whole', () => {
  fc.assert(
    fc.property(rows, (some) => {
      const cells = some.map((row) => cellsOf(Buffer.from(JSON.stringify(row))));
      const layout = layOut(cells, Number.POSITIVE_INFINITY);

      expect(columnsLeftOut(layout)).toBe(0);
      for (const row of cells) {
        const line = rowOf(layout, row);
        for (const { text } of row.cells.values()) expect(line).toContain(text.trimEnd());
      }
    }),
  );
});
