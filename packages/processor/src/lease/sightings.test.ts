import { describe, expect, test } from 'vitest';
import { Sightings } from './sightings.ts';

const document = { id: 'a', key: 'a', etag: '"1"' };

function look(sightings: Sightings, atMs: number, documents = [document]): void {
  sightings.look(documents, { sentMs: atMs, doneMs: atMs + 10, gapMsMax: 1000 });
}

describe('sightings', () => {
  test('[F3] [D7] the time counts from the answer of the first look that showed it', () => {
    const sightings = new Sightings();
    look(sightings, 0);
    look(sightings, 500);

    expect(sightings.unchangedMs(document, 700)).toBe(690);
  });

  test('a change begins anew, and so does a document that came back', () => {
    const sightings = new Sightings();
    const changed = { ...document, etag: '"2"' };
    look(sightings, 0);
    look(sightings, 500, [changed]);
    look(sightings, 900, []);
    look(sightings, 1000, [changed]);

    expect(sightings.unchangedMs(changed, 1010)).toBe(0);
    expect(sightings.unchangedMs(document, 1010)).toBe(0);
  });

  test('[S11] a looker that was away learns nothing from the gap', () => {
    const sightings = new Sightings();
    look(sightings, 0);
    look(sightings, 5000);

    expect(sightings.unchangedMs(document, 5100)).toBe(90);
    expect(sightings.silentMs(document, 5100)).toBe(5090);
  });

  test('[S41] what was there at the first look may have been there for years', () => {
    const sightings = new Sightings();
    look(sightings, 0);
    look(sightings, 500, [document, { ...document, id: 'b' }]);

    expect(sightings.writtenMs(document, 600)).toBe(Number.POSITIVE_INFINITY);
    expect(sightings.writtenMs({ ...document, id: 'b' }, 600)).toBe(90);
    look(sightings, 700, [{ ...document, etag: '"2"' }]);
    expect(sightings.writtenMs({ ...document, etag: '"2"' }, 710)).toBe(0);
  });

  test('[S34] documents of one id and two keys are two', () => {
    const sightings = new Sightings();
    const other = { id: 'a', key: 'guid', etag: '"9"' };
    look(sightings, 0, [document]);
    look(sightings, 500, [document, other]);

    expect(sightings.unchangedMs(document, 600)).toBe(590);
    expect(sightings.unchangedMs(other, 600)).toBe(90);
  });
});
