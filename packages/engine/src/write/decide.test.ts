import { expect, test } from 'vitest';
import { readClientDocument } from './client-bytes.ts';
import type { Unit, WriteCommand } from './command.ts';
import { decide } from './decide.ts';
import type { CurrentDocument, DecideContext, DecideView, Decision, Outcome } from './decision.ts';
import { parseUniqueKey, uniqueDigestAt, uniqueDigests } from './unique.ts';

const nowMs = 100_000;
const emailKey = parseUniqueKey(['/email']);

interface Stored {
  readonly body: object;
  readonly lsn?: number;
  readonly timeMs?: number;
  readonly hasBody?: boolean;
  readonly isPurged?: boolean;
}

const plain: DecideContext = { nowMs, defaultTtl: undefined, uniqueKeys: [], partitionKeyPaths: [['pk']] };
const mortal: DecideContext = { ...plain, defaultTtl: -1 };
const unique: DecideContext = { ...mortal, uniqueKeys: [emailKey] };

function doc(body: object) {
  return readClientDocument(body, { partitionKeyPaths: [['pk']] });
}

/** A partition that holds these documents; their etag is `etag-` and the id. */
function partition(stored: readonly Stored[] = [], context: DecideContext = plain): DecideView {
  const current = new Map<string, CurrentDocument>();
  const holders = new Map<string, string>();
  for (const { body, lsn = 7, timeMs = 90_000, hasBody = true, isPurged = false } of stored) {
    const document = doc(body);
    const digests = uniqueDigests(document.value, context.uniqueKeys);
    context.uniqueKeys.forEach((_, key) => {
      holders.set(`${key}:${uniqueDigestAt(digests, key).toString('hex')}`, document.id);
    });
    current.set(document.id, {
      kind: 'stored',
      lsn,
      ix: 3,
      etag: `etag-${document.id}`,
      ridNumber: 41,
      timeMs,
      ttl: document.ttl,
      uniqueDigests: digests,
      isPurged,
      hasBody,
      body: hasBody ? Buffer.from(JSON.stringify({ ...body, _ts: 1, _lsn: lsn })) : undefined,
    });
  }
  return {
    current: (id) => current.get(id),
    uniqueHolder: (key, digest) => holders.get(`${key}:${digest.toString('hex')}`),
  };
}

function run(commands: readonly WriteCommand[], view: DecideView = partition(), context = plain): Decision {
  const unit: Unit = { partitionKey: { values: ['p'], bytes: Buffer.alloc(0), epk: Buffer.alloc(0) }, commands };
  return decide(view, unit, context);
}

function outcomes(decision: Decision): readonly Outcome[] {
  return decision.kind === 'needs-body' ? [] : decision.outcomes;
}

/** The code of each rejection, the kind of every other outcome. */
function short(decision: Decision): string[] {
  return outcomes(decision).map((outcome) => (outcome.kind === 'rejected' ? outcome.code : outcome.kind));
}

/** `create a`, `ttl-delete b`, … */
function mutations(decision: Decision): string[] {
  if (decision.kind !== 'commit') return [];
  return decision.mutations.map((made) => `${made.isExpiry ? 'ttl-' : ''}${made.operation} ${made.id}`);
}

const a = { id: 'a', pk: 'p' };
const created: WriteCommand = { kind: 'create', document: doc(a) };
const upserted: WriteCommand = { kind: 'upsert', document: doc(a) };
const replaced: WriteCommand = { kind: 'replace', id: 'a', document: doc(a) };
const patched: WriteCommand = { kind: 'patch', id: 'a', operations: [{ op: 'set', path: '/n', value: 1 }] };
const removed: WriteCommand = { kind: 'delete', id: 'a' };

const noA = partition();
const liveA = partition([{ body: a }]);
const purgedA = partition([{ body: { ...a, ttl: 5 }, isPurged: true }], mortal);
const expiredA = partition([{ body: { ...a, ttl: 5 }, timeMs: 90_000 }], mortal);

test.each<[string, WriteCommand, DecideView, string, string[]]>([
  ['create of nothing', created, noA, 'created', ['create a']],
  ['create of a live one', created, liveA, 'conflict', []],
  ['create of an expired one', created, expiredA, 'created', ['ttl-delete a', 'create a']],
  ['upsert of nothing', upserted, noA, 'created', ['create a']],
  ['upsert of a live one', upserted, liveA, 'replaced', ['replace a']],
  ['upsert of an expired one', upserted, expiredA, 'created', ['ttl-delete a', 'create a']],
  ['replace of nothing', replaced, noA, 'not-found', []],
  ['replace of a live one', replaced, liveA, 'replaced', ['replace a']],
  ['replace of an expired one', replaced, expiredA, 'not-found', []],
  ['patch of nothing', patched, noA, 'not-found', []],
  ['patch of a live one', patched, liveA, 'replaced', ['replace a']],
  ['patch of an expired one', patched, expiredA, 'not-found', []],
  ['delete of nothing', removed, noA, 'not-found', []],
  ['delete of a live one', removed, liveA, 'deleted', ['delete a']],
  ['delete of an expired one', removed, expiredA, 'not-found', []],
  ['read of nothing', { kind: 'read', id: 'a' }, noA, 'not-found', []],
  ['read of a live one', { kind: 'read', id: 'a' }, liveA, 'read', []],
  ['read of an expired one', { kind: 'read', id: 'a' }, expiredA, 'not-found', []],
  ['expire of nothing', { kind: 'expire', id: 'a' }, noA, 'unchanged', []],
  ['expire of a live one', { kind: 'expire', id: 'a' }, liveA, 'unchanged', []],
  ['expire of an expired one', { kind: 'expire', id: 'a' }, expiredA, 'deleted', ['ttl-delete a']],
  ['purge of nothing', { kind: 'purge', id: 'a', lsnMax: 9 }, noA, 'unchanged', []],
  ['purge of an old one', { kind: 'purge', id: 'a', lsnMax: 7 }, liveA, 'deleted', ['delete a']],
  ['purge of a newer one', { kind: 'purge', id: 'a', lsnMax: 6 }, liveA, 'unchanged', []],
  ['create of a purged one', created, purgedA, 'created', ['delete a', 'create a']],
  ['upsert of a purged one', upserted, purgedA, 'created', ['delete a', 'create a']],
  ['replace of a purged one', replaced, purgedA, 'not-found', []],
  ['patch of a purged one', patched, purgedA, 'not-found', []],
  ['delete of a purged one', removed, purgedA, 'not-found', []],
  ['read of a purged one', { kind: 'read', id: 'a' }, purgedA, 'not-found', []],
  ['expire of a purged one', { kind: 'expire', id: 'a' }, purgedA, 'unchanged', []],
  ['purge of a purged one', { kind: 'purge', id: 'a', lsnMax: 7 }, purgedA, 'deleted', ['delete a']],
  ['purge of an expired one', { kind: 'purge', id: 'a', lsnMax: 7 }, expiredA, 'deleted', ['ttl-delete a']],
])('[M1] [wire 7] [engine 9] %s', (_title, command, view, outcome, expected) => {
  const decision = run([command], view, mortal);

  expect(short(decision)).toEqual([outcome]);
  expect(mutations(decision)).toEqual(expected);
});

test.each<[string, WriteCommand, DecideView, string]>([
  ['replace, etag as stored', { ...replaced, ifMatch: 'etag-a' }, liveA, 'replaced'],
  ['replace, etag in quotes', { ...replaced, ifMatch: '"etag-a"' }, liveA, 'replaced'],
  ['replace, any etag', { ...replaced, ifMatch: '*' }, liveA, 'replaced'],
  ['replace, other etag', { ...replaced, ifMatch: '"etag-b"' }, liveA, 'precondition-failed'],
  ['replace, half a quote', { ...replaced, ifMatch: '"etag-a' }, liveA, 'precondition-failed'],
  ['replace of nothing', { ...replaced, ifMatch: '*' }, noA, 'not-found'],
  ['patch, other etag', { ...patched, ifMatch: 'x' }, liveA, 'precondition-failed'],
  ['patch, right etag', { ...patched, ifMatch: 'etag-a' }, liveA, 'replaced'],
  ['delete, other etag', { ...removed, ifMatch: 'x' }, liveA, 'precondition-failed'],
  ['delete, right etag', { ...removed, ifMatch: 'etag-a' }, liveA, 'deleted'],
  ['upsert, other etag', { ...upserted, ifMatch: 'x' }, liveA, 'precondition-failed'],
  ['upsert, right etag', { ...upserted, ifMatch: 'etag-a' }, liveA, 'replaced'],
  ['upsert of nothing, some etag', { ...upserted, ifMatch: 'x' }, noA, 'created'],
  ['upsert of an expired one, its etag', { ...upserted, ifMatch: 'etag-a' }, expiredA, 'created'],
  ['upsert if none, none', { ...upserted, ifNoneMatch: '*' }, noA, 'created'],
  ['upsert if none, one', { ...upserted, ifNoneMatch: '*' }, liveA, 'precondition-failed'],
  ['upsert if none, expired', { ...upserted, ifNoneMatch: '*' }, expiredA, 'created'],
  ['upsert if not this one', { ...upserted, ifNoneMatch: 'etag-a' }, liveA, 'precondition-failed'],
  ['upsert if not another', { ...upserted, ifNoneMatch: 'x' }, liveA, 'replaced'],
  ['read if changed, same', { kind: 'read', id: 'a', ifNoneMatch: '"etag-a"' }, liveA, 'not-modified'],
  ['read if changed, other', { kind: 'read', id: 'a', ifNoneMatch: 'x' }, liveA, 'read'],
])('[M1] [wire 7] conditions: %s', (_title, command, view, outcome) => {
  expect(short(run([command], view, mortal))).toEqual([outcome]);
});

test('[wire 7] a replace cannot change the id', () => {
  const decision = run([{ kind: 'replace', id: 'a', document: doc({ id: 'b' }) }], liveA);

  expect(short(decision)).toEqual(['invalid-document']);
});

test('[wire 7] a replace keeps the rid number and names the version before it', () => {
  const decision = run([{ kind: 'replace', id: 'a', document: doc({ ...a, ttl: 9 }) }], liveA);

  expect(decision).toMatchObject({
    mutations: [{ previous: { kind: 'stored', lsn: 7, ix: 3 }, ridNumber: 41, ttl: 9, isExpiry: false }],
  });
});

test('[wire 7] a patch whose condition does not hold is a failed precondition, and the condition sees no LSN', () => {
  const asked: string[] = [];
  const conditional = (holds: boolean): WriteCommand => ({
    ...patched,
    condition: (body, membersEnd) => {
      asked.push(body.toString('utf8', 0, membersEnd));
      return holds;
    },
  });

  expect(short(run([conditional(true)], liveA))).toEqual(['replaced']);
  expect(short(run([conditional(false)], liveA))).toEqual(['precondition-failed']);
  expect(short(run([conditional(false)], noA))).toEqual(['not-found']);
  expect(asked).toHaveLength(2);
  for (const text of asked) {
    expect(text).toContain('"_ts"');
    expect(text).not.toContain('_lsn');
  }
});

test('[wire 7] a patch that cannot be applied carries its reason', () => {
  const decision = run([{ kind: 'patch', id: 'a', operations: [{ op: 'remove', path: '/none' }] }], liveA);

  expect(short(decision)).toEqual(['invalid-patch']);
});

test('[engine 2] patches and reads ask for all the bodies they lack at once, and only when they get that far', () => {
  const view = partition(['a', 'b', 'c'].map((id) => ({ body: { id }, hasBody: false })));
  const reads: WriteCommand[] = [
    patched,
    { kind: 'read', id: 'b' },
    { kind: 'read', id: 'b' },
    { kind: 'delete', id: 'c' },
  ];

  expect(run(reads, view)).toEqual({ kind: 'needs-body', ids: ['a', 'b'] });
  expect(short(run([{ ...patched, ifMatch: 'x' }], view))).toEqual(['precondition-failed']);
  expect(short(run([{ kind: 'read', id: 'a', ifNoneMatch: '*' }], view))).toEqual(['not-modified']);
});

test('[wire 8] a batch of 100 commits and one of 101 is refused whole', () => {
  const batch = (count: number) =>
    Array.from({ length: count }, (_, i): WriteCommand => ({ kind: 'create', document: doc({ id: `d${i}` }) }));

  expect(mutations(run(batch(100)))).toHaveLength(100);
  expect(new Set(short(run(batch(101))))).toEqual(new Set(['batch-too-large']));
  expect(run(batch(101)).kind).toBe('reject');
});

test('[wire 8] in a failed batch the failing command keeps its reason and all others depend on it', () => {
  const decision = run([{ kind: 'create', document: doc({ id: 'x' }) }, { kind: 'read', id: 'none' }, created], noA);

  expect(decision.kind).toBe('reject');
  expect(short(decision)).toEqual(['failed-dependency', 'not-found', 'failed-dependency']);
});

test('[wire 8] a batch tells ids apart that are alike, and finds those that come again', () => {
  const ids = Array.from({ length: 40 }, (_, n) => `${n}${'the same end of all of them'.slice(`${n}`.length)}`);
  const commands = ids.map((id): WriteCommand => ({ kind: 'create', document: doc({ id, pk: 'p' }) }));
  const again: WriteCommand = { kind: 'upsert', document: doc({ id: ids[7], pk: 'p' }) };

  const decision = run([...commands, again, again], noA);

  expect(short(decision)).toEqual([...ids.map(() => 'created'), 'replaced', 'replaced']);
  expect(decision).toMatchObject({
    mutations: { 40: { previous: { kind: 'unit', mutation: 7 } }, 41: { previous: { kind: 'unit', mutation: 40 } } },
  });
});

test('[wire 8] later commands of a batch see what earlier ones did', () => {
  const decision = run(
    [
      removed,
      created,
      { kind: 'patch', id: 'a', operations: [{ op: 'add', path: '/n', value: 1 }] },
      { kind: 'read', id: 'a' },
      { kind: 'patch', id: 'a', operations: [{ op: 'incr', path: '/n', value: 1 }], ifMatch: '*' },
      upserted,
      removed,
    ],
    liveA,
  );

  expect(short(decision)).toEqual(['deleted', 'created', 'replaced', 'read', 'replaced', 'replaced', 'deleted']);
  expect(decision).toMatchObject({
    mutations: [
      { operation: 'delete', previous: { kind: 'stored', lsn: 7, ix: 3 }, ridNumber: 41, document: undefined },
      { operation: 'create', previous: undefined, ridNumber: undefined },
      { operation: 'replace', previous: { kind: 'unit', mutation: 1 }, ridNumber: undefined },
      { operation: 'replace', previous: { kind: 'unit', mutation: 2 } },
      { operation: 'replace', previous: { kind: 'unit', mutation: 3 } },
      { operation: 'delete', previous: { kind: 'unit', mutation: 4 } },
    ],
    outcomes: { 3: { kind: 'read', mutation: 2 }, 4: { kind: 'replaced', mutation: 3 } },
  });
  const second = decision.kind === 'commit' ? decision.mutations[3]?.document?.openBytes.toString() : undefined;
  expect(second).toBe('{"id":"a","pk":"p","n":2');
});

test('[wire 8] a replaced document keeps its rid number through a batch', () => {
  const decision = run([upserted, upserted], liveA);

  expect(decision).toMatchObject({ mutations: [{ ridNumber: 41 }, { ridNumber: 41 }] });
});

test.each<[string, WriteCommand[], string]>([
  [
    'the etag before the batch no longer matches',
    [upserted, { ...replaced, ifMatch: 'etag-a' }],
    'precondition-failed',
  ],
  ['a created document exists', [upserted, created], 'conflict'],
  ['a deleted document does not', [removed, replaced], 'not-found'],
])('[wire 8] inside a batch %s', (_title, commands, code) => {
  expect(short(run(commands, liveA))).toEqual(['failed-dependency', code]);
});

test('[wire 8] an expire or purge leaves alone what its own unit has written', () => {
  const decision = run([upserted, { kind: 'expire', id: 'a' }, { kind: 'purge', id: 'a', lsnMax: 99 }], liveA);

  expect(short(decision)).toEqual(['replaced', 'unchanged', 'unchanged']);
});

test('[engine 6] a unit that changes nothing commits nothing', () => {
  expect(run([{ kind: 'read', id: 'a' }], liveA)).toMatchObject({ kind: 'commit', mutations: [] });
  expect(run([], liveA)).toEqual({ kind: 'commit', mutations: [], outcomes: [] });
});

const bob = partition([{ body: { id: 'bob', email: 'x' } }, { body: { id: 'eve', email: 'y' } }], unique);
const gone = partition([{ body: { id: 'bob', email: 'x', ttl: 5 } }], unique);
const purged = partition([{ body: { id: 'bob', email: 'x' }, isPurged: true }], unique);
const put = (id: string, email?: string | null): WriteCommand => ({
  kind: 'upsert',
  document: doc(email === undefined ? { id } : { id, email }),
});

test.each<[string, WriteCommand[], DecideView, string[], string[]]>([
  ['a value that is free', [put('ann', 'z')], bob, ['created'], ['create ann']],
  ['a value that is taken', [put('ann', 'x')], bob, ['unique-key-violation'], []],
  ['its own value again', [put('bob', 'x')], bob, ['replaced'], ['replace bob']],
  ['the value of another on replace', [put('bob', 'y')], bob, ['unique-key-violation'], []],
  ['a value whose holder expired', [put('ann', 'x')], gone, ['created'], ['ttl-delete bob', 'create ann']],
  ['a value whose holder was purged', [put('ann', 'x')], purged, ['created'], ['delete bob', 'create ann']],
  ['its own expired value', [put('bob', 'x')], gone, ['created'], ['ttl-delete bob', 'create bob']],
  [
    'a value freed by a delete',
    [{ kind: 'delete', id: 'bob' }, put('ann', 'x')],
    bob,
    ['deleted', 'created'],
    ['delete bob', 'create ann'],
  ],
  [
    'a value freed by a replace',
    [put('bob', 'w'), put('ann', 'x')],
    bob,
    ['replaced', 'created'],
    ['replace bob', 'create ann'],
  ],
  [
    'a value taken in the unit',
    [put('ann', 'z'), put('joe', 'z')],
    bob,
    ['failed-dependency', 'unique-key-violation'],
    [],
  ],
  [
    'a value taken and let go in the unit',
    [put('ann', 'z'), put('ann', 'q'), put('joe', 'z')],
    bob,
    ['created', 'replaced', 'created'],
    ['create ann', 'replace ann', 'create joe'],
  ],
  [
    'a value that came back',
    [put('bob', 'w'), put('bob', 'x'), put('ann', 'x')],
    bob,
    ['failed-dependency', 'failed-dependency', 'unique-key-violation'],
    [],
  ],
  [
    'values that two exchange',
    [put('bob', 't'), put('eve', 'x'), put('bob', 'y')],
    bob,
    ['replaced', 'replaced', 'replaced'],
    ['replace bob', 'replace eve', 'replace bob'],
  ],
  ['a missing value twice', [put('ann'), put('joe')], bob, ['failed-dependency', 'unique-key-violation'], []],
  ['null and a missing value', [put('ann', null), put('joe')], bob, ['failed-dependency', 'unique-key-violation'], []],
])('[M1] [wire 7] [engine 9] unique keys: %s', (_title, commands, view, expected, writes) => {
  const decision = run(commands, view, unique);

  expect(short(decision)).toEqual(expected);
  expect(mutations(decision)).toEqual(writes);
});

test('[engine 9] an expired holder of two unique keys is deleted once', () => {
  const context: DecideContext = { ...mortal, uniqueKeys: [emailKey, parseUniqueKey(['/name'])] };
  const view = partition([{ body: { id: 'bob', email: 'x', name: 'n', ttl: 5 } }], context);

  const decision = run([{ kind: 'create', document: doc({ id: 'ann', email: 'x', name: 'n' }) }], view, context);

  expect(mutations(decision)).toEqual(['ttl-delete bob', 'create ann']);
});

test('[wire 7] a patch is checked against unique keys like any other write', () => {
  const decision = run(
    [{ kind: 'patch', id: 'bob', operations: [{ op: 'set', path: '/email', value: 'y' }] }],
    bob,
    unique,
  );

  expect(short(decision)).toEqual(['unique-key-violation']);
});

test('[engine 2] a decision is the same when it is taken again', () => {
  const commands: WriteCommand[] = [put('bob', 'w'), put('ann', 'x'), { kind: 'delete', id: 'eve' }];

  expect(run(commands, bob, unique)).toEqual(run(commands, bob, unique));
});
