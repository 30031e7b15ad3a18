import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Watermark } from './watermark.ts';

test('[S52] [I2] the mark stands before the first page that is not finished, whatever finishes first', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 20 }),
      fc.infiniteStream(fc.nat()),
      (sizes, chance) => {
        const mark = new Watermark();
        const pages = sizes.map((items, at) => ({ sequence: mark.open(`p${at}`, items), left: items, at }));
        let passed = -1;
        const look = (): void => {
          const move = mark.advance();
          if (move !== undefined) passed = Number(move.position.slice(1));
          const unfinished = pages.find(({ left }) => left > 0)?.at ?? pages.length;
          expect(passed).toBe(unfinished - 1);
        };
        look();
        for (;;) {
          const open = pages.filter(({ left }) => left > 0);
          const page = open[Number(chance.next().value) % Math.max(1, open.length)];
          if (page === undefined) break;
          page.left -= 1;
          mark.finish(page.sequence, 1);
          look();
        }
        expect(mark.size).toBe(0);
      },
    ),
  );
});

test('pages without changes take no room however many there are', () => {
  const mark = new Watermark();
  const first = mark.open('p0', 1);
  for (let i = 1; i < 1000; i += 1) mark.open(`p${i}`, 0);

  expect(mark.size).toBe(2);
  mark.finish(first, 1);
  expect(mark.advance()).toEqual({ position: 'p999', sequence: 1, items: 1 });
});

test('a page that was passed counts once', () => {
  const mark = new Watermark();
  const sequences = [mark.open('a', 3), mark.open('b', 2), mark.open('c', 1)];
  mark.finish(sequences[1] as number, 2);
  mark.finish(sequences[0] as number, 3);

  expect(mark.advance()).toEqual({ position: 'b', sequence: 1, items: 5 });
  mark.finish(sequences[0] as number, 3);
  expect(mark.advance()).toBeUndefined();
});
