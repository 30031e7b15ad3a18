// Named resources: offers, users, permissions, keys, scripts, and the preconditions of databases and containers.

import type { NamedInfo, NamedKind, RangeEngine } from '@tidemark/engine/internal';
import { parseResourceId } from '@tidemark/model';
import { expect } from 'vitest';
import type { ContractCase } from './bench.ts';
import { codeOf, databaseId, idsOf } from './bench.ts';

async function aUser(engine: RangeEngine, id = 'u'): Promise<NamedInfo> {
  const owner = (engine.findDatabase('d') ?? (await engine.createDatabase('d'))).number;
  return engine.resources.create({ kind: 'user', owner, id, value: { note: id } });
}

export const namedResourceCases: readonly ContractCase[] = [
  {
    title: '[wire 14] lists, finds and counts versions of what was created, below its owner only',
    async run({ engine }) {
      const user = await aUser(engine);
      const other = await aUser(engine, 'v');
      const permission = await engine.resources.create({ kind: 'permission', owner: user.number, id: 'p', value: 1 });

      expect(idsOf(engine.resources.list('user', user.owners[0]))).toEqual(['u', 'v']);
      expect(engine.resources.list('permission', other.number)).toEqual([]);
      expect(engine.resources.list('permission')).toEqual([permission]);
      expect(engine.resources.find('user', user.owners[0] ?? 0, 'v')).toEqual(other);
      expect(engine.resources.find('permission', user.number, 'u')).toBeUndefined();
      expect(permission).toMatchObject({ owners: [...user.owners, user.number], value: 1, version: 1 });

      const replaced = await engine.resources.replace(permission.number, { value: 2 });
      expect(replaced).toMatchObject({ id: 'p', rid: permission.rid, value: 2, version: 2 });
      expect(replaced.etag).not.toBe(permission.etag);
      expect(engine.resources.find('permission', user.number, 'p')).toEqual(replaced);
      const renamed = await engine.resources.replace(permission.number, { id: 'q', value: 2 });
      expect(renamed.rid).toBe(permission.rid);
      expect(engine.resources.find('permission', user.number, 'p')).toBeUndefined();
      expect(engine.resources.find('permission', user.number, 'q')).toEqual(renamed);
    },
  },
  {
    title: '[wire 4] gives each kind a rid that says what it is and whose, and finds it by it',
    async run(bench) {
      const { engine } = bench;
      const { number, database } = (await bench.container()).info;
      const user = await engine.resources.create({ kind: 'user', owner: database, id: 'u', value: {} });
      const owners: Partial<Record<NamedKind, number>> = {
        permission: user.number,
        offer: number,
        'stored-procedure': number,
        trigger: number,
        'user-defined-function': number,
      };
      expect(parseResourceId(user.rid)).toEqual({ kind: 'user', parts: [database, user.number] });
      for (const [kind, owner] of Object.entries(owners) as [NamedKind, number][]) {
        const made = await engine.resources.create({ kind, owner, id: 'x', value: kind });
        expect(parseResourceId(made.rid)?.kind).toBe(kind);
        if (kind !== 'offer') expect(parseResourceId(made.rid)?.parts.slice(0, 2)).toEqual([database, owner]);
        expect(engine.resources.findByRid(kind, made.rid)).toEqual(made);
        expect(engine.resources.findByRid('user', made.rid)).toBeUndefined();
      }
      const key = await engine.resources.create({
        kind: 'client-encryption-key',
        owner: database,
        id: 'k',
        value: {},
      });
      expect(engine.resources.findByRid('client-encryption-key', key.rid)?.id).toBe('k');
    },
  },
  {
    title:
      '[wire 14] refuses an id that is taken, what is unique twice, names that cannot be, and owners that are not there',
    async run({ engine }) {
      const { resources } = engine;
      const user = await aUser(engine);
      const other = await aUser(engine, 'v');
      const owner = user.owners[0] ?? 0;
      const permission = { kind: 'permission', owner: user.number, value: {}, unique: 'dbs/d/colls/c' } as const;
      await resources.create({ ...permission, id: 'p' });

      expect(await codeOf(() => resources.create({ kind: 'user', owner, id: 'u', value: {} }))).toBe('conflict');
      expect(await codeOf(() => resources.create({ ...permission, id: 'q' }))).toBe('conflict');
      expect(await codeOf(() => resources.create({ ...permission, id: 'p', owner: other.number }))).toBe('none');
      const free = await resources.create({ ...permission, id: 'q', unique: 'dbs/d/colls/other' });
      expect(await codeOf(() => resources.replace(free.number, { value: {}, unique: 'dbs/d/colls/c' }))).toBe(
        'conflict',
      );
      expect(await codeOf(() => resources.replace(free.number, { value: {}, id: 'p' }))).toBe('conflict');
      expect(await codeOf(() => resources.create({ kind: 'user', owner, id: 'a/b', value: {} }))).toBe('invalid-id');
      expect(await codeOf(() => resources.create({ kind: 'user', owner, value: {} }))).toBe('invalid-id');
      const inNobody = { owner: 999_999, id: 'x', value: {} } as const;
      expect(await codeOf(() => resources.create({ kind: 'user', ...inNobody }))).toBe('database-not-found');
      expect(await codeOf(() => resources.create({ kind: 'permission', ...inNobody }))).toBe('not-found');
      expect(await codeOf(() => resources.create({ kind: 'trigger', ...inNobody }))).toBe('container-not-found');
      expect(await codeOf(() => resources.create({ kind: 'permission', ...inNobody, owner }))).toBe('not-found');
      expect(await codeOf(() => resources.replace(999_999, { value: {} }))).toBe('not-found');
      expect(await codeOf(() => resources.delete(999_999))).toBe('not-found');
      expect(await codeOf(() => resources.delete(owner))).toBe('not-found');
    },
  },
  {
    title: '[wire 14] creates or replaces by upsert, and says which',
    async run({ engine }) {
      const user = await aUser(engine);
      const permission = { kind: 'permission', owner: user.number, id: 'p' } as const;

      const first = await engine.resources.upsert({ ...permission, value: 1 });
      const second = await engine.resources.upsert({ ...permission, value: 2 });

      expect([first.isCreated, second.isCreated]).toEqual([true, false]);
      expect(second.info).toMatchObject({ number: first.info.number, value: 2, version: 2 });
      const stale = codeOf(() => engine.resources.upsert({ ...permission, value: 3 }, { ifMatch: first.info.etag }));
      expect(await stale).toBe('precondition-failed');
      expect(engine.resources.find('permission', user.number, 'p')?.value).toBe(2);
    },
  },
  {
    title: '[wire 6] an offer comes with its container or database, is called by its rid, and there is no second one',
    async run(bench) {
      const { engine } = bench;
      const database = await engine.createDatabase('shared', { offer: { throughput: 500 } });
      const { definition } = (await bench.container()).info;
      const options = { ranges: 1, historyMs: 0, offer: { throughput: 400 } };
      const container = await engine.createContainer('shared', { ...definition, id: 'own' }, options);

      const [ofDatabase, ofContainer] = engine.resources.list('offer');
      expect(ofDatabase).toMatchObject({ owners: [database.number], value: { throughput: 500 } });
      expect(ofContainer).toMatchObject({ owners: [database.number, container.number], value: { throughput: 400 } });
      expect(ofContainer?.id).toBe(ofContainer?.rid);
      expect(ofContainer?.id.length).toBe(4);
      expect(ofContainer?.id).not.toBe(ofDatabase?.id);
      const second = { kind: 'offer', owner: container.number, value: {} } as const;
      expect(await codeOf(() => engine.resources.create(second))).toBe('conflict');
      await engine.deleteContainer(container.number);
      expect(engine.resources.list('offer')).toEqual([ofDatabase]);
    },
  },
  {
    title: '[wire 14] what is in a user, container or database goes with it, and nothing else does',
    async run(bench) {
      const { engine } = bench;
      const { resources } = engine;
      const kept = await aUser(engine);
      const container = await bench.container();
      const { number, database } = container.info;
      const user = await resources.create({ kind: 'user', owner: database, id: 'u', value: {} });
      const other = await resources.create({ kind: 'user', owner: database, id: 'o', value: {} });
      await resources.create({ kind: 'permission', owner: user.number, id: 'p', value: {} });
      const stays = await resources.create({ kind: 'permission', owner: other.number, id: 'p', value: {} });
      await resources.create({ kind: 'trigger', owner: number, id: 't', value: {} });

      await resources.delete(user.number);
      expect(resources.list('permission')).toEqual([stays]);
      await engine.deleteContainer(number);
      expect(resources.list('trigger')).toEqual([]);
      await engine.deleteDatabase(databaseId);
      expect(resources.list('permission')).toEqual([]);
      expect(resources.list('user')).toEqual([kept]);
      expect(resources.findByRid('user', other.rid)).toBeUndefined();
    },
  },
  {
    title: '[wire 7] an etag is compared in the commit: of two changes with the same one only one is made',
    async run(bench) {
      const { engine } = bench;
      const { info } = await bench.container();
      const user = await aUser(engine);
      const twice = async (change: (ifMatch: { ifMatch: string }) => Promise<unknown>, etag: string) =>
        (await Promise.all([1, 2].map(() => codeOf(() => change({ ifMatch: `"${etag}"` }))))).sort();

      const changed = ['none', 'precondition-failed'];
      expect(await twice((match) => engine.resources.replace(user.number, { value: 2 }, match), user.etag)).toEqual(
        changed,
      );
      const replace = (match: object) =>
        engine.replaceContainer(info.number, info.definition, { historyMs: 0, ...match });
      expect(await twice(replace, info.etag)).toEqual(changed);
      const stale = { ifMatch: info.etag };
      expect(await codeOf(() => engine.deleteContainer(info.number, stale))).toBe('precondition-failed');
      expect(await codeOf(() => engine.deleteDatabase(databaseId, stale))).toBe('precondition-failed');
      expect(await codeOf(() => engine.resources.delete(user.number, stale))).toBe('precondition-failed');
      expect(await codeOf(() => engine.resources.delete(user.number, { ifMatch: '*' }))).toBe('none');
      const { etag } = engine.container(info.number);
      expect(await codeOf(() => engine.deleteContainer(info.number, { ifMatch: etag }))).toBe('none');
    },
  },
  {
    title: '[engine 6] a user is not visible before its flush',
    needs: ['flush'],
    async run(bench) {
      const { engine } = bench;
      const database = await engine.createDatabase('d');
      const gate = bench.holdFlush();
      const creation = engine.resources.create({ kind: 'user', owner: database.number, id: 'u', value: {} });
      await gate.reached;

      expect(engine.resources.list('user')).toEqual([]);
      gate.release();
      await creation;
      expect(idsOf(engine.resources.list('user'))).toEqual(['u']);
    },
  },
  {
    title: '[engine 6] named resources are there again after a reopen, and numbers are not given twice',
    needs: ['reopen'],
    async run(bench) {
      const user = await aUser(bench.engine);
      const unique = 'dbs/d/colls/c';
      const permission = { kind: 'permission', owner: user.number, id: 'p', unique } as const;
      const created = await bench.engine.resources.create({ ...permission, value: { mode: 'Read' } });
      const replaced = await bench.engine.resources.replace(created.number, { value: { mode: 'All' } });
      const gone = await aUser(bench.engine, 'gone');
      await bench.engine.resources.delete(gone.number);

      await bench.reopen();

      const { resources } = bench.engine;
      expect(resources.list('user')).toEqual([user]);
      expect(resources.list('permission', user.number)).toEqual([replaced]);
      expect(resources.findByRid('permission', replaced.rid)).toEqual(replaced);
      expect(await codeOf(() => resources.create({ ...permission, id: 'q', value: {} }))).toBe('conflict');
      expect((await aUser(bench.engine, 'next')).number).toBeGreaterThan(gone.number);
    },
  },
];
