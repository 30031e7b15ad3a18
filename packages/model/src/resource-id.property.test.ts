import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeRidBase64, encodeRidBase64 } from './base64.ts';
import type { ContainerChildKind } from './resource-id.ts';
import {
  attachmentRid,
  containerChildRid,
  containerRid,
  containerRidPrefix,
  databaseRid,
  documentRid,
  documentRidWriter,
  offerRid,
  parseResourceId,
  permissionRid,
  userRid,
} from './resource-id.ts';

const u31 = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const u53 = fc.maxSafeNat();
const childKind = fc.constantFrom<ContainerChildKind>(
  'document',
  'conflict',
  'partition-key-range',
  'user-defined-function',
  'trigger',
  'stored-procedure',
  'schema',
);

describe('resource ids', () => {
  test('of every kind are parsed back to what they were made of [wire 4]', () => {
    fc.assert(
      fc.property(u32, u31, u53, u32, childKind, (database, owner, child, attachment, kind) => {
        expect(parseResourceId(offerRid(owner % 2 ** 24))).toEqual({ kind: 'offer', parts: [owner % 2 ** 24] });
        expect(parseResourceId(databaseRid(database))).toEqual({ kind: 'database', parts: [database] });
        expect(parseResourceId(userRid(database, owner))).toEqual({ kind: 'user', parts: [database, owner] });
        expect(parseResourceId(containerRid(database, owner))).toEqual({ kind: 'container', parts: [database, owner] });
        expect(parseResourceId(permissionRid(database, owner, child))).toEqual({
          kind: 'permission',
          parts: [database, owner, child],
        });
        expect(parseResourceId(containerChildRid(kind, database, owner, child))).toEqual({
          kind,
          parts: [database, owner, child],
        });
        expect(parseResourceId(attachmentRid(database, owner, child, attachment))).toEqual({
          kind: 'attachment',
          parts: [database, owner, child, attachment],
        });
      }),
      { numRuns: 300 },
    );
  });

  test('of documents are the same by the fast way [wire 4]', () => {
    fc.assert(
      fc.property(u32, u31, u53, (database, container, document) => {
        const write = documentRidWriter(containerRidPrefix(database, container));

        const bytes = Buffer.from(documentRid(database, container, 0));
        write(document, bytes, 0);
        expect(bytes.toString('latin1')).toBe(documentRid(database, container, document));
      }),
      { numRuns: 300 },
    );
  });

  test('are base64 with "-" for "/" [wire 4]', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 24 }), (bytes) => {
        const text = encodeRidBase64(bytes);

        expect(text).toBe(Buffer.from(bytes).toString('base64').replaceAll('/', '-'));
        expect(decodeRidBase64(text)).toEqual(bytes);
      }),
    );
  });

  test('that are accepted are written the same again: no two texts name one resource', () => {
    fc.assert(
      fc.property(fc.base64String({ maxLength: 28 }), (text) => {
        const bytes = decodeRidBase64(text);

        if (bytes !== undefined) expect(encodeRidBase64(bytes)).toBe(text);
      }),
    );
  });
});
