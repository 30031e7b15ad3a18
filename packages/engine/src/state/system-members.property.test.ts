import { containerRid, databaseRid, documentRid, formatEtag } from '@tidemark/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lsnTailBytes, SystemMembers } from './system-members.ts';

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
