import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readClientDocument } from './client-bytes.ts';
import type { Unit, WriteCommand } from './command.ts';
import { decide } from './decide.ts';
import type { CurrentDocument, DecideContext, DecideView, Mutation, Outcome } from './decision.ts';
import { isExpired } from './ttl.ts';
import { parseUniqueKey, uniqueDigestAt } from './unique.ts';

// Random units against two partitions: one is driven by `decide` the way an engine would do it, the other is the plainest
// description of the rules that there is. They must answer alike and hold the same documents at every moment.

interface Step {
  readonly advanceMs: number;
  readonly commands: readonly StepCommand[];
}

interface StepCommand {
  readonly kind: 'create' | 'upsert' | 'replace' | 'patch' | 'delete' | 'read' | 'expire' | 'purge';
  readonly id: string;
  readonly unique: number | undefined;
  readonly ttl: number | undefined;
  readonly condition: 'none' | 'right' | 'wrong' | 'any';
}

const uniqueKeys = [parseUniqueKey(['/u']), parseUniqueKey(['/u', '/id'])];

/** An engine as small as it can be: applies mutations and keeps the unique keys by digest. */
class TinyEngine implements DecideView {
  readonly documents = new Map<string, CurrentDocument>();
  lsn = 0;

  current(id: string): CurrentDocument | undefined {
    return this.documents.get(id);
  }

  uniqueHolder(key: number, digest: Buffer): string | undefined {
    for (const [id, document] of this.documents) {
      if (uniqueDigestAt(document.uniqueDigests, key).equals(digest)) return id;
    }
    return undefined;
  }

  apply(mutations: readonly Mutation[], nowMs: number, defaultTtl: number | undefined): void {
    if (mutations.length > 0) this.lsn += 1;
    mutations.forEach((mutation, ix) => {
      const before = this.documents.get(mutation.id);
      const position = this.#position(mutation, before);
      if (position === undefined) expect(mutation.previous).toBeUndefined();
      else expect(mutation.previous).toMatchObject(position);
      const isOver = before !== undefined && isExpired(before, defaultTtl, nowMs);
      expect(mutation.isExpiry).toBe(isOver);
      if (mutation.document === undefined) {
        this.documents.delete(mutation.id);
        return;
      }
      expect(mutation.ridNumber ?? before?.ridNumber).toBe(before?.ridNumber);
      this.documents.set(mutation.id, {
        kind: 'stored',
        lsn: this.lsn,
        hasBody: true,
        ix,
        etag: `${this.lsn}.${ix}`,
        ridNumber: before?.ridNumber ?? this.lsn * 1000 + ix,
        timeMs: nowMs,
        ttl: mutation.ttl,
        uniqueDigests: mutation.uniqueDigests,
        body: Buffer.from(`${mutation.document.openBytes.toString()},"_ts":1}`),
      });
      for (const key of uniqueKeys.keys()) {
        const holders = [...this.documents.values()].filter((document) =>
          uniqueDigestAt(document.uniqueDigests, key).equals(uniqueDigestAt(mutation.uniqueDigests, key)),
        );
        expect(holders).toHaveLength(1);
      }
    });
  }

  live(nowMs: number, defaultTtl: number | undefined): Record<string, unknown> {
    const live = [...this.documents].filter(([, document]) => !isExpired(document, defaultTtl, nowMs));
    return Object.fromEntries(live.map(([id, { body }]) => [id, withoutTs(JSON.parse(body?.toString() ?? ''))]));
  }

  #position(mutation: Mutation, before: CurrentDocument | undefined): Mutation['previous'] {
    if (mutation.operation === 'create') {
      expect(before).toBeUndefined();
      return undefined;
    }
    expect(before).toBeDefined();
    if (before?.lsn === this.lsn) return { kind: 'unit', mutation: before.ix };
    return before && { kind: 'stored', lsn: before.lsn, ix: before.ix };
  }
}

function withoutTs(value: Record<string, unknown>): Record<string, unknown> {
  const { _ts, ...rest } = value;
  return rest;
}

interface PlainDocument {
  readonly value: Record<string, unknown>;
  readonly secondsEnd: number;
  readonly isOfThisUnit: boolean;
}

/** The rules, in the order in which a person would tell them. Throws the code of a failure. */
function obey(
  documents: Map<string, PlainDocument>,
  command: StepCommand,
  seconds: number,
  defaultTtl: number | undefined,
): string {
  for (const [id, document] of documents) if (document.secondsEnd <= seconds) documents.delete(id);
  const found = documents.get(command.id);
  const isCreation = command.kind === 'create' || (command.kind === 'upsert' && found === undefined);
  if (command.kind === 'expire') return 'tidied';
  if (command.kind === 'purge') {
    if (found !== undefined && !found.isOfThisUnit) documents.delete(command.id);
    return 'tidied';
  }
  if (command.kind === 'create' && found !== undefined) throw new Error('conflict');
  if (!isCreation && found === undefined) throw new Error('not-found');
  const conditionHolds = !(command.condition === 'wrong' || (command.condition === 'right' && found?.isOfThisUnit));
  if (command.kind === 'read') return 'read';
  if (!isCreation && !conditionHolds) throw new Error('precondition-failed');
  if (command.kind === 'delete') {
    documents.delete(command.id);
    return 'deleted';
  }
  const value =
    command.kind === 'patch' ? { ...found?.value, patched: 1, u: command.unique ?? null } : bodyFor(command);
  for (const [id, other] of documents) {
    if (id !== command.id && (other.value.u ?? null) === (value.u ?? null)) throw new Error('unique-key-violation');
  }
  const ttl = defaultTtl === undefined ? -1 : ((value.ttl as number | undefined) ?? defaultTtl);
  const secondsEnd = ttl < 0 ? Number.POSITIVE_INFINITY : seconds + ttl;
  documents.set(command.id, { value, secondsEnd, isOfThisUnit: true });
  return isCreation ? 'created' : 'replaced';
}

function bodyFor(command: StepCommand): Record<string, unknown> {
  return {
    id: command.id,
    ...(command.unique === undefined ? {} : { u: command.unique }),
    ...(command.ttl === undefined ? {} : { ttl: command.ttl }),
  };
}

function toWrite(command: StepCommand, engine: TinyEngine): WriteCommand {
  const { id, kind } = command;
  const etag = engine.current(id)?.etag ?? 'none';
  const match = { none: undefined, right: `"${etag}"`, wrong: 'wrong', any: '*' }[command.condition];
  const ifMatch = match === undefined ? {} : { ifMatch: match };
  const document = readClientDocument(bodyFor(command), { partitionKeyPaths: [] });
  switch (kind) {
    case 'create':
      return { kind, document };
    case 'upsert':
      return { kind, document, ...ifMatch };
    case 'replace':
      return { kind, id, document, ...ifMatch };
    case 'patch':
      return {
        kind,
        id,
        operations: [
          { op: 'set', path: '/patched', value: 1 },
          { op: 'set', path: '/u', value: command.unique ?? null },
        ],
        ...ifMatch,
      };
    case 'delete':
      return { kind, id, ...ifMatch };
    case 'read':
      return { kind, id };
    case 'expire':
      return { kind, id };
    case 'purge':
      return { kind, id, lsnMax: engine.lsn };
  }
}

/** Whether a sweep or purge found an expired document in place is nobody's business but the engine's. */
function short(outcome: Outcome, command: StepCommand | undefined): string {
  if (outcome.kind === 'rejected') return outcome.code;
  return command?.kind === 'expire' || command?.kind === 'purge' ? 'tidied' : outcome.kind;
}

const command: fc.Arbitrary<StepCommand> = fc.record({
  kind: fc.constantFrom('create', 'upsert', 'replace', 'patch', 'delete', 'read', 'expire', 'purge'),
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  unique: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined, freq: 4 }),
  ttl: fc.constantFrom(undefined, undefined, -1, 1, 2, 5),
  condition: fc.constantFrom('none', 'none', 'none', 'right', 'any', 'wrong'),
});

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    advanceMs: fc.constantFrom(0, 0, 300, 1000, 3700),
    commands: fc.oneof(
      fc.array(command, { minLength: 1, maxLength: 1 }),
      fc.array(command, { minLength: 2, maxLength: 5 }),
    ),
  }),
  { maxLength: 25 },
);

test('[M1] [engine 2] random units are decided as the plainest model of the rules decides them', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(undefined, -1, 3), (history, defaultTtl) => {
      const engine = new TinyEngine();
      let model = new Map<string, PlainDocument>();
      let nowMs = 50_500;

      for (const { advanceMs, commands } of history) {
        nowMs += advanceMs;
        const context: DecideContext = { nowMs, defaultTtl, uniqueKeys, partitionKeyPaths: [] };
        const unit: Unit = {
          partitionKey: { values: [], bytes: Buffer.alloc(0), epk: Buffer.alloc(0) },
          commands: commands.map((each) => toWrite(each, engine)),
        };

        const decision = decide(engine, unit, context);
        if (decision.kind === 'commit') engine.apply(decision.mutations, nowMs, defaultTtl);

        const draft = new Map([...model].map(([id, document]) => [id, { ...document, isOfThisUnit: false }]));
        const expected: string[] = [];
        let failure: string | undefined;
        for (const each of commands) {
          try {
            expected.push(obey(draft, each, Math.floor(nowMs / 1000), defaultTtl));
          } catch (error) {
            failure = (error as Error).message;
            break;
          }
        }
        const failedAt = expected.length;
        const answers =
          failure === undefined ? expected : commands.map((_, i) => (i === failedAt ? failure : 'failed-dependency'));
        if (failure === undefined) model = draft;

        expect(
          decision.kind === 'needs-body'
            ? ['needs-body']
            : decision.outcomes.map((outcome, i) => short(outcome, commands[i])),
        ).toEqual(answers);
        const seconds = Math.floor(nowMs / 1000);
        const live = [...model].filter(([, document]) => document.secondsEnd > seconds);
        expect(engine.live(nowMs, defaultTtl)).toEqual(Object.fromEntries(live.map(([id, { value }]) => [id, value])));
      }
    }),
    { numRuns: 1500 },
  );
});
