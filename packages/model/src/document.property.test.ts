import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatEtag, parseEtag, writeEtag } from './document.ts';

test('an etag always has 36 characters and says what it was made of, so no two versions share one', () => {
  const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(u32, fc.maxSafeNat(), u32, (epoch, lsn, ix) => {
      const etag = formatEtag(epoch, lsn, ix);

      expect(etag).toHaveLength(36);
      expect(parseEtag(etag)).toEqual({ epoch, lsn, ix });
      const bytes = Buffer.alloc(38, '.');
      writeEtag(bytes, 1, epoch, lsn, ix);
      expect(bytes.toString('latin1')).toBe(`.${etag}.`);
    }),
  );
});
