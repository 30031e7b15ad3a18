// What becomes of a unit: every rule of the service about existence, etags, unique keys, expiry and batches, as one pure
// function over the state that the engine shows. It has no effect, so an engine may run it again after a retry.

import { Buffer } from 'node:buffer';
import type { ErrorCode } from '@tidemark/model';
import { assert, batchOperationsMax, isDatabaseError, unreachable } from '@tidemark/model';
import type { ClientDocument, Unit, WriteCommand } from './command.ts';
import type { DecideContext, DecideView, Decision, Outcome } from './decision.ts';
import { applyPatch } from './patch.ts';
import { lsnTailBytes, withMembers } from './system-places.ts';
import { noDigests, uniqueDigests } from './unique.ts';
import type { Version } from './unit-state.ts';
import { UnitState } from './unit-state.ts';

export function decide(view: DecideView, unit: Unit, context: DecideContext): Decision {
  const { commands } = unit;
  if (commands.length > batchOperationsMax) return rejectAll(commands.length);
  const state = new UnitState(view, context, commands.length > 1);
  const outcomes = new Array<Outcome>(commands.length);
  let answerBytes = 0;
  for (let i = 0; i < commands.length; i += 1) {
    const outcome = decideCommand(state, commands[i]!, context);
    if (outcome.kind === 'needs-body') return { kind: 'needs-body', ids: missingBodies(view, unit) };
    if (outcome.kind === 'rejected') return rejectUnit(commands.length, i, outcome);
    outcomes[i] = outcome;
    if (unit.answerBytesMax === undefined) continue;
    answerBytes += answerBytesOf(outcome, state);
    if (answerBytes > unit.answerBytesMax) return rejectUnit(commands.length, i, answerTooLarge(unit.answerBytesMax));
  }
  return { kind: 'commit', mutations: state.mutations, outcomes };
}

type Rejection = Extract<Outcome, { kind: 'rejected' }>;
type CommandOutcome = Outcome | typeof needsBody;
type Command<Kind extends WriteCommand['kind']> = Extract<WriteCommand, { kind: Kind }>;

const needsBody = { kind: 'needs-body' } as const;
const closeBrace: Buffer = Buffer.from('}');

function decideCommand(state: UnitState, command: WriteCommand, context: DecideContext): CommandOutcome {
  switch (command.kind) {
    case 'create':
      return decideCreate(state, command, context);
    case 'upsert':
      return decideUpsert(state, command, context);
    case 'replace':
      return decideReplace(state, command, context);
    case 'patch':
      return decidePatch(state, command, context);
    case 'delete':
      return decideDelete(state, command);
    case 'expire':
      return decideExpire(state, command);
    case 'purge':
      return decidePurge(state, command);
    case 'read':
      return decideRead(state, command);
    default:
      return unreachable(command);
  }
}

function decideCreate(state: UnitState, command: Command<'create'>, context: DecideContext): CommandOutcome {
  const version = state.latest(command.document.id);
  if (state.isLive(version)) return conflict;
  return createDocument(state, command.document, version, context);
}

function decideUpsert(state: UnitState, command: Command<'upsert'>, context: DecideContext): CommandOutcome {
  const version = state.latest(command.document.id);
  // Wire: without a document there is nothing to match, and an upsert with If-Match creates it (Azure/azure-cosmos-dotnet-v3
  // issue 1698: "UpsertItemStreamAsync returns Created when IfMatchEtag condition doesn't match and item does not exist").
  if (!state.isLive(version)) return createDocument(state, command.document, version, context);
  // Wire: If-None-Match is applied when an upsert turns out to be a replace (.NET RequestOptions.IfNoneMatchEtag, remarks).
  if (!meets(version, command.ifMatch) || matches(version, command.ifNoneMatch)) return preconditionFailed;
  return replaceDocument(state, version, command.document, context);
}

function decideReplace(state: UnitState, command: Command<'replace'>, context: DecideContext): CommandOutcome {
  if (command.document.id !== command.id) return idChanged;
  const version = state.latest(command.id);
  if (!state.isLive(version)) return notFound;
  if (!meets(version, command.ifMatch)) return preconditionFailed;
  return replaceDocument(state, version, command.document, context);
}

function decidePatch(state: UnitState, command: Command<'patch'>, context: DecideContext): CommandOutcome {
  const version = state.latest(command.id);
  if (!state.isLive(version)) return notFound;
  if (!meets(version, command.ifMatch)) return preconditionFailed;
  const body = bodyOf(version);
  if (body === undefined) return needsBody;
  let document: ClientDocument;
  try {
    if (command.condition?.(body, membersEndOf(version, body), context.nowMs) === false) return preconditionFailed;
    document = applyPatch(body, command.operations, context.partitionKeyPaths);
  } catch (error) {
    if (isDatabaseError(error)) return rejected(error.code, error.message);
    throw error;
  }
  return replaceDocument(state, version, document, context);
}

function decideDelete(state: UnitState, command: Command<'delete'>): CommandOutcome {
  const version = state.latest(command.id);
  if (!state.isLive(version)) return notFound;
  if (!meets(version, command.ifMatch)) return preconditionFailed;
  state.remove(command.id, version);
  return deleted;
}

function decideExpire(state: UnitState, command: Command<'expire'>): CommandOutcome {
  const version = state.latest(command.id);
  if (version?.kind !== 'stored' || version.isPurged === true || !state.isOver(version)) return unchanged;
  state.remove(command.id, version);
  return deleted;
}

function decidePurge(state: UnitState, command: Command<'purge'>): CommandOutcome {
  const version = state.latest(command.id);
  if (version?.kind !== 'stored' || version.lsn > command.lsnMax) return unchanged;
  state.remove(command.id, version);
  return deleted;
}

function decideRead(state: UnitState, command: Command<'read'>): CommandOutcome {
  const version = state.latest(command.id);
  if (!state.isLive(version)) return notFound;
  if (version.kind === 'unit') return { kind: 'read', mutation: version.mutation };
  if (matches(version, command.ifNoneMatch)) return { kind: 'not-modified', etag: version.etag };
  return version.body === undefined ? needsBody : { kind: 'read', stored: version };
}

function createDocument(
  state: UnitState,
  document: ClientDocument,
  over: Version | undefined,
  context: DecideContext,
): CommandOutcome {
  if (over !== undefined) state.remove(document.id, over);
  const digests = digestsOf(document, context);
  if (!state.claim(document.id, digests)) return uniqueKeyViolation;
  return { kind: 'created', mutation: state.create(document, digests) };
}

function replaceDocument(
  state: UnitState,
  version: Version,
  document: ClientDocument,
  context: DecideContext,
): CommandOutcome {
  const digests = digestsOf(document, context);
  if (!state.claim(document.id, digests)) return uniqueKeyViolation;
  return { kind: 'replaced', mutation: state.replace(version, document, digests) };
}

/** The value of a document is asked for only where there are keys: most documents are never parsed. */
function digestsOf(document: ClientDocument, { uniqueKeys }: DecideContext): Buffer {
  return uniqueKeys.length === 0 ? noDigests : uniqueDigests(document.value, uniqueKeys);
}

/** Whether an If-Match holds; one that was not given always does. */
function meets(version: Version, ifMatch: string | undefined): boolean {
  return ifMatch === undefined || matches(version, ifMatch);
}

function matches(version: Version, etag: string | undefined): boolean {
  if (etag === undefined) return false;
  if (etag === '*') return true;
  return version.kind === 'stored' && unquoted(version.etag) === unquoted(etag);
}

/** Wire: `_etag` and the header carry quotes that are part of the value; some clients send them and some strip them. */
function unquoted(etag: string): string {
  return etag.length >= 2 && etag.startsWith('"') && etag.endsWith('"') ? etag.slice(1, -1) : etag;
}

/** A stored body ends with its LSN, which is none of the document's members. */
function membersEndOf(version: Version, body: Buffer): number {
  return body.length - (version.kind === 'stored' ? lsnTailBytes(version.lsn) : closeBrace.length);
}

function bodyOf(version: Version): Buffer | undefined {
  if (version.kind === 'stored') return version.body;
  const { document } = version.made;
  assert(document !== undefined, 'the latest version of a unit is a delete');
  const { openBytes, places } = document;
  // The values are not known yet, and readers of this look at the places only.
  const open = places === undefined ? openBytes : withMembers(openBytes, places, (name) => Buffer.from(`,"${name}":0`));
  return Buffer.concat([open, closeBrace]);
}

/** The bodies that any command of the unit may ask for, so that they are fetched in one go. */
function missingBodies(view: DecideView, unit: Unit): string[] {
  const ids = new Set<string>();
  for (const command of unit.commands) {
    if (command.kind !== 'patch' && command.kind !== 'read') continue;
    const document = view.current(command.id);
    if (document !== undefined && !document.hasBody) ids.add(command.id);
  }
  return [...ids];
}

/** Of the document, but for a few system members. */
function answerBytesOf(outcome: Outcome, { mutations }: UnitState): number {
  if ('stored' in outcome) return outcome.stored.body?.length ?? 0;
  return 'mutation' in outcome ? (mutations[outcome.mutation]?.document?.openLength ?? 0) : 0;
}

function answerTooLarge(bytesMax: number): Rejection {
  const message = `The documents that the operations of a batch answer may have ${bytesMax} bytes together.`;
  return rejected('batch-answer-too-large', message);
}

export function tooManyOperations(count: number): string {
  return `A batch may have at most ${batchOperationsMax} operations; this one has ${count}.`;
}

function rejectAll(count: number): Decision {
  const rejection = rejected('batch-too-large', tooManyOperations(count));
  return { kind: 'reject', outcomes: new Array<Outcome>(count).fill(rejection) };
}

function rejectUnit(count: number, failed: number, reason: Rejection): Decision {
  const outcomes = new Array<Outcome>(count).fill(failedDependency);
  outcomes[failed] = reason;
  return { kind: 'reject', outcomes };
}

function rejected(code: ErrorCode, message: string): Rejection {
  return { kind: 'rejected', code, message };
}

const deleted: Outcome = { kind: 'deleted' };
const unchanged: Outcome = { kind: 'unchanged' };

// Wire: clients match on parts of the service's own sentences, so these contain them.
const notFound: Rejection = rejected('not-found', 'Entity with the specified id does not exist in the system.');
const conflict: Rejection = rejected('conflict', 'Entity with the specified id already exists in the system.');
const uniqueKeyViolation: Rejection = rejected(
  'unique-key-violation',
  'Unique index constraint violation: another document of this partition key has the same unique key values.',
);
const preconditionFailed: Rejection = rejected(
  'precondition-failed',
  'Operation cannot be performed because one of the specified precondition is not met.',
);
const idChanged: Rejection = rejected(
  'invalid-document',
  'The id in the body is not the id of the document to replace: the id of a document cannot change.',
);
const failedDependency: Rejection = rejected(
  'failed-dependency',
  'Another operation of the same batch failed, so nothing of it was applied.',
);
