import { containerRid, databaseRid, documentRid, formatEtag } from '@tidemark/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readClientDocument } from '../write/client-bytes.ts';
import { lsnTailBytes } from '../write/system-places.ts';
import { SystemMembers } from './system-members.ts';

const names = ['_rid', '_self', '_etag', '_attachments', '_ts'];
const u31 = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const u48 = fc.integer({ min: 0, max: 2 ** 48 - 1 });

test('[wire 4] [engine 4] system members are written as JSON, in their order, and as long as they said', () => {
  fc.assert(
    fc.property(
      u31,
      u31,
      fc.maxSafeNat(),
      u48,
      fc.nat(0xffff),
      u48,
      (database, container, ridNumber, lsn, ix, timeMs) => {
        const members = new SystemMembers(database, container, 0x12345678);
        // Another one of the same unit, and one of another, may have been written before.
        if (ix > 0) members.writeTail({ ridNumber: 7, lsn, ix: ix - 1, timeMs }, Buffer.alloc(600), 0);
        if (ix % 3 === 0) members.writeTail({ ridNumber: 7, lsn: lsn >>> 1, ix, timeMs }, Buffer.alloc(600), 0);
        const record = { ridNumber, lsn, ix, timeMs };
        const target = Buffer.alloc(600, '.');

        const end = members.writeTail(record, target, 3);

        expect(end).toBe(3 + members.tailBytes(record));
        expect(target.toString('latin1', 0, 3)).toBe('...');
        expect(target.toString('latin1', end, end + 3)).toBe('...');
        const text = target.toString('latin1', 3, end);
        const rid = documentRid(database, container, ridNumber);
        const expected = {
          id: '1',
          _rid: rid,
          _self: `dbs/${databaseRid(database)}/colls/${containerRid(database, container)}/docs/${rid}/`,
          _etag: `"${formatEtag(0x12345678, lsn, ix)}"`,
          _attachments: 'attachments/',
          _ts: Math.floor(timeMs / 1000),
          _lsn: lsn,
        };
        expect(`{"id":"1"${text}`).toBe(JSON.stringify(expected));
        expect(text.slice(-lsnTailBytes(lsn))).toBe(`,"_lsn":${lsn}}`);
      },
    ),
  );
});

test('[wire 7] members that a client wrote among its own come back in their places, and the others behind', () => {
  const system = new SystemMembers(1, 2, 3);
  const ownNames = ['id', 'a', 'b', 'c'];
  const order = fc.shuffledSubarray([...names, '_lsn', ...ownNames], { minLength: 1 });
  fc.assert(
    fc.property(order, fc.constantFrom('', ' ', '\n  '), fc.nat(2 ** 40), (some, space, lsn) => {
      const sent = some.includes('id') ? some : [...some, 'id'];
      const text = sent.map((name) => `${space}"${name}":${name === 'id' ? '"1"' : '[1.0, {}]'}`).join(',');
      const document = readClientDocument(`{${text}${space}}`, { partitionKeyPaths: [] });
      const stamp = { ridNumber: 9, lsn, ix: 1, timeMs: 1_600_000_000_000 };
      const bytes = Buffer.alloc(document.openLength + system.tailBytes(stamp));
      document.bytes.copy(bytes);

      const end = system.tailOf(document.places).writeTail(stamp, bytes, document.openLength, 0);

      const placed = sent.filter((name) => name !== '_lsn');
      const behind = names.filter((name) => !placed.includes(name));
      const stored = JSON.parse(bytes.toString()) as Record<string, unknown>;
      const usual = Buffer.alloc(bytes.length);
      system.writeTail(stamp, usual, 4);
      const values = JSON.parse(`{"x":1${usual.toString('latin1', 4, 4 + system.tailBytes(stamp))}`);
      expect(end).toBe(bytes.length);
      expect(Object.keys(stored)).toEqual([...placed, ...behind, '_lsn']);
      for (const name of [...names, '_lsn']) expect(stored[name]).toEqual(values[name]);
      for (const name of placed.filter((each) => ownNames.includes(each) && each !== 'id')) {
        expect(bytes.toString()).toContain(`"${name}":[1.0, {}]`);
      }
      expect(bytes.toString().endsWith(`,"_lsn":${lsn}}`)).toBe(true);
    }),
  );
});
