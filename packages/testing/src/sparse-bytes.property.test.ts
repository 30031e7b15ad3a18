import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SparseBytes } from './sparse-bytes.ts';

test('sparse bytes agree with a plain buffer, and copies do not see each other', () => {
  const step = fc.record({
    kind: fc.constantFrom('write', 'zero', 'resize', 'copy'),
    at: fc.nat(20_000),
    size: fc.nat(9_000),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let bytes = new SparseBytes();
      let model: Buffer = Buffer.alloc(0);
      const copies: [SparseBytes, Buffer][] = [];
      steps.forEach(({ kind, at, size }, i) => {
        if (kind === 'copy') copies.push([bytes, Buffer.from(model)]);
        if (kind === 'copy') bytes = bytes.copy();
        else if (kind === 'resize') bytes.resize(at);
        else if (kind === 'write') bytes.write(Buffer.alloc(size, i + 1), at);
        else bytes.zero(at, size);
        if (kind === 'resize') model = resized(model, at);
        else if (kind !== 'copy' && size + (kind === 'zero' ? 1 : 0) > 0) {
          model = resized(model, Math.max(model.length, at + size));
          model.fill(kind === 'write' ? i + 1 : 0, at, at + size);
        }
      });
      for (const [content, expected] of [...copies, [bytes, model] as const]) {
        const target = Buffer.alloc(expected.length + 10, 0xee);
        expect(content.sizeBytes).toBe(expected.length);
        expect(content.read(target, 0)).toBe(expected.length);
        expect(target.subarray(0, expected.length).equals(expected)).toBe(true);
      }
    }),
  );
});

function resized(bytes: Buffer, size: number): Buffer {
  return Buffer.concat([bytes], size);
}
