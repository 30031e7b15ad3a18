import { describe, expect, test } from 'vitest';
import type { DocumentBody, StoredDocument } from '../store/document-store.ts';
import { changedLeaseBody, handedOverBeat, newLeaseBody, readLease } from './dotnet-lease.ts';
import type { Lease } from './lease.ts';

const prefix = 'p..';
const mark = { epoch: 3, instance: 'a', nonce: 'n', writeId: 'n:9' };
const timestamp = '2026-11-15T18:23:54.123Z';

function stored(body: DocumentBody & { id: string }): StoredDocument {
  return { id: body.id, etag: '"1"', key: body.id, body };
}

function read(body: DocumentBody & { id: string }): Lease {
  return readLease(stored(body), prefix) as Lease; // Of documents that are leases.
}

// As the processors of .NET write them (processor.md 1.2).
const v1 = { id: 'p..0', PartitionId: '0', Owner: 'h', ContinuationToken: '"12"', SequenceNumber: 4, state: 2, _ts: 1 };
const v2 = {
  id: 'p..0',
  _etag: '"x"',
  PartitionId: '0',
  Owner: 'host-a',
  ContinuationToken: '"1234"',
  properties: {},
  timestamp: '2026-11-15T18:23:54.1234567Z',
  _ts: 1700000000,
};
const v3 = {
  id: 'p..0',
  version: 0,
  _etag: '"x"',
  LeaseToken: '0',
  FeedRange: { Range: { min: '', max: '05C1DFFFFFFFFC' } },
  Owner: null,
  ContinuationToken: null,
  properties: { theirs: 'kept' },
  timestamp: '2026-11-15T18:23:54.1234567Z',
  _ts: 0,
  Mode: 'Incremental Feed',
};
const v3Keys = {
  ...v3,
  id: 'p..05C1DF-FF',
  version: 1,
  LeaseToken: '05C1DF-FF',
  FeedRange: { Range: { min: '05C1DF', max: 'FF' } },
};

describe('lease documents', () => {
  test('[S58] [F2] v1, v2 and both kinds of v3 are read', () => {
    expect(read(v1)).toMatchObject({ token: '0', kind: 'physical', keys: undefined, owner: 'h', position: '"12"' });
    expect(read(v2)).toMatchObject({
      token: '0',
      kind: 'physical',
      owner: 'host-a',
      position: '"1234"',
      mode: 'latest',
    });
    expect(read(v3)).toMatchObject({ token: '0', kind: 'physical', owner: undefined, position: undefined });
    expect(read(v3).keys).toEqual({ min: '', max: '05C1DFFFFFFFFC' });
    expect(read(v3Keys)).toMatchObject({ kind: 'keys', keys: { min: '05C1DF', max: 'FF' } });
  });

  test('[S58] a v2 document becomes a v3 document that v2 still reads', () => {
    const body = changedLeaseBody(read(v2), { owner: 'a', keys: { min: '', max: 'FF' }, mark, timestamp });

    expect(body).toMatchObject({
      version: 0,
      LeaseToken: '0',
      PartitionId: '0',
      Owner: 'a',
      ContinuationToken: '"1234"',
      FeedRange: { Range: { min: '', max: 'FF' } },
      Mode: 'Incremental Feed',
      timestamp,
    });
    expect(body).not.toHaveProperty('_etag');
  });

  test('[S57] members and properties of others are kept, and so is what is not changed', () => {
    const theirs = { ...v3, unknown: [1], FeedRange: { Range: { min: '', max: 'FF', isMaxInclusive: true } } };

    const body = changedLeaseBody(read(theirs), { owner: 'a', mark, timestamp });

    expect(body).toMatchObject({ unknown: [1], FeedRange: theirs.FeedRange, ContinuationToken: null });
    expect(body['properties']).toMatchObject({ theirs: 'kept', 'tidemark.epoch': '3', 'tidemark.write': 'n:9' });
  });

  test('a new lease has the members of v3, empty ones as null', () => {
    const keys = { min: '', max: 'FF' };
    const body = newLeaseBody({
      id: 'p..0',
      token: '0',
      kind: 'physical',
      keys,
      owner: undefined,
      position: undefined,
      mode: 'all-versions',
      mark: undefined,
      timestamp,
    });

    expect(body).toEqual({
      id: 'p..0',
      version: 0,
      LeaseToken: '0',
      FeedRange: { Range: keys },
      Owner: null,
      ContinuationToken: null,
      properties: {},
      timestamp,
      Mode: 'Full-Fidelity Feed',
    });
  });

  test('the mark and a hand over come back as they were written, and the beat is of one write only', () => {
    const handed = read({ ...changedLeaseBody(read(v3), { owner: 'b', mark, beat: 12, timestamp }), id: 'p..0' });
    const renewed = read({ ...changedLeaseBody(handed, { mark, timestamp }), id: 'p..0' });

    expect(handed.mark).toEqual(mark);
    expect(handedOverBeat(handed)).toBe(12);
    expect(handedOverBeat(renewed)).toBeUndefined();
    expect(renewed.owner).toBe('b');
  });

  test('[D4] a tombstone stays one, whoever writes it', () => {
    const gone = read({ ...changedLeaseBody(read(v3), { mark, children: ['1', '2'], timestamp }), id: 'p..0' });
    const again = read({ ...changedLeaseBody(gone, { owner: 'b', mark, timestamp }), id: 'p..0' });

    expect(gone.isTombstone).toBe(true);
    expect(again.isTombstone).toBe(true);
  });

  test('a document without a token is no lease', () => {
    expect(readLease(stored({ id: 'p.info' }), prefix)).toBeUndefined();
    expect(readLease(stored({ id: 'p..' }), prefix)).toBeUndefined();
  });
});
