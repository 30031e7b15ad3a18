// Many operations in one request: a transactional batch on one partition key, or a bulk over one range (wire 8).

import type { UnitOutcome } from '@tidemark/engine';
import type { UnitPartitionKey, UnitResult, WriteCommand } from '@tidemark/engine/internal';
import { parsePatchBody } from '@tidemark/engine/internal';
import { DatabaseError, header, isDatabaseError, parsePartitionKeyHeader } from '@tidemark/model';
import type { BodyOperation } from '../batch-body.ts';
import { readBatchBody } from '../batch-body.ts';
import { sumOfCharges } from '../charge.ts';
import type { OutcomeFacts } from '../document-command.ts';
import { clientDocument, factsOf } from '../document-command.ts';
import { rangeIdOf } from '../feed-scope.ts';
import type { Grant } from '../grant.ts';
import { checkKeyGranted } from '../grant.ts';
import type { HandlerContext } from '../handler.ts';
import type { HeaderList } from '../header-list.ts';
import { batchAnswerBytesMax, bulkReadsMax } from '../limits.ts';
import { requiredPartitionKey } from '../partition-key.ts';
import type { CosmosRequest } from '../request.ts';
import { isHeaderTrue, prefersMinimal } from '../request.ts';
import type { Place } from '../resources.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { containerOwner, sessionHeaders } from '../response.ts';
import type { Throttle, Ticket } from '../throttle.ts';

/** All or nothing, under one LSN. */
export async function commitBatch(request: CosmosRequest, { database }: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(database, request.path);
  const key = place.container.partitionKey(requiredPartitionKey(request, place));
  const operations = readBatchBody(request.body);
  const commands: WriteCommand[] = [];
  for (const operation of operations) {
    const command = attempt(() => commandOf(place, key, operation));
    if ('failure' in command)
      return manyResponse(request, place, failedAt(commands.length, operations, command.failure));
    commands.push(command.result);
  }
  const { range, lsn, outcomes } = await place.container.commit(key, commands, batchAnswerBytesMax);
  return manyResponse(request, place, outcomes, sessionHeaders(request, range, lsn));
}

/**
 * Each operation for itself, where its partition key is. Wire: who names a range that is gone has to read the ranges again (wire 10). In one
 * that lives may be other keys than the client takes it for, those of a container that was made anew. That is no 410: the bulk of
 * `@azure/cosmos` 4.9 sends nothing to an id again that it got one for, and would wait for ever for the operations that belong there.
 */
export async function commitBulk(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(context.database, request.path);
  const operations = readBatchBody(request.body).map((operation) => prepare(place, context.grant, operation));
  const named = rangeIdOf(request, place);
  if (named !== undefined && !place.container.ranges.some((each) => each.id === named)) {
    throw new DatabaseError('range-gone', `The range ${named} has been split or merged; read the ranges again.`);
  }
  const bulk = new Bulk(place, context);
  const outcomes = isHeaderTrue(request, header.continueOnError)
    ? await commitAll(bulk, operations)
    : await commitUntilFailure(bulk, operations);
  const range = rangeOfBulk(place, context, operations, named);
  const tail = place.container.ranges.find((each) => each.id === range);
  const session = tail === undefined ? [] : sessionHeaders(request, tail.id, tail.tailLsn);
  return manyResponse(request, place, outcomes, session);
}

/** Wire: an answer names one range (wire 13). The one that the request named, unless all that was asked for lies in others by now. */
function rangeOfBulk(
  { info }: Place,
  { database }: HandlerContext,
  operations: readonly Prepared[],
  named: string | undefined,
): string | undefined {
  let first: string | undefined;
  for (const { key } of operations) {
    if (key === undefined) continue;
    const range = database.engine.rangeOf(info.number, key.epk);
    if (range === named) return range;
    first ??= range;
  }
  return first ?? named;
}

/** Operations on the same document keep their order; all others share their flushes. */
function commitAll(bulk: Bulk, operations: readonly Prepared[]): Promise<UnitOutcome[]> {
  const last = new Map<string, Promise<UnitOutcome>>();
  const reads: Promise<UnitOutcome>[] = [];
  const outcomes = operations.map((operation) => {
    if ('failure' in operation) return operation.failure;
    const { key, command } = operation;
    const name = `${key.bytes.toString('latin1')}\0${idOf(command)}`;
    const isRead = isOfStoredSize(command);
    const before = last.get(name);
    const readBefore = isRead ? reads.at(-bulkReadsMax) : undefined;
    const outcome =
      before === undefined && readBefore === undefined
        ? bulk.commit(operation)
        : Promise.all([before, readBefore]).then(() => bulk.commit(operation));
    last.set(name, outcome);
    if (isRead) reads.push(outcome);
    return outcome;
  });
  return Promise.all(outcomes);
}

/** Wire: what comes after the first failure is answered as depending on it. */
async function commitUntilFailure(bulk: Bulk, operations: readonly Prepared[]): Promise<UnitOutcome[]> {
  const outcomes: UnitOutcome[] = [];
  for (const operation of operations) {
    const outcome = 'failure' in operation ? operation.failure : await bulk.commit(operation);
    outcomes.push(outcome);
    if (outcome.kind === 'rejected') break;
  }
  while (outcomes.length < operations.length) outcomes.push(failedDependency);
  return outcomes;
}

class Bulk {
  readonly #place: Place;
  readonly #context: HandlerContext;
  /** Of the documents that have been read and written. */
  #answerBytes = 0;

  constructor(place: Place, context: HandlerContext) {
    this.#place = place;
    this.#context = context;
  }

  /** Without an async function: each of hundreds of operations would keep one until it is on disk. */
  commit(operation: Commit): Promise<UnitOutcome> {
    const { key, command } = operation;
    if (isOfStoredSize(command) && this.#answerBytes >= batchAnswerBytesMax) return Promise.resolve(answerTooLarge);
    if (this.#context.throttle !== undefined) return this.#commitThrottled(this.#context.throttle, operation);
    return this.#place.container.commit(key, [command]).then(this.#committed, rejectedBy);
  }

  /** Wire: what is throttled is answered for each operation; clients do not repeat a bulk as a whole (wire 8). */
  async #commitThrottled(throttle: Throttle, { key, command }: Commit): Promise<UnitOutcome> {
    const { container, info } = this.#place;
    let ticket: Ticket | undefined;
    let outcome: UnitOutcome;
    try {
      ticket = throttle.enter(this.#place, this.#context.database.engine.rangeOf(info.number, key.epk));
      outcome = this.#committed(await container.commit(key, [command]));
    } catch (error) {
      outcome = rejectedBy(error);
    }
    ticket?.settle(factsOf(outcome).charge);
    return outcome;
  }

  readonly #committed = ({ outcomes }: UnitResult): UnitOutcome => {
    const outcome = outcomes[0] ?? failedDependency;
    if ('document' in outcome) this.#answerBytes += outcome.document.sizeBytes;
    return outcome;
  };
}

interface Commit {
  readonly key: UnitPartitionKey;
  readonly command: WriteCommand;
}

/** What is wrong with one operation is that operation's outcome, not the request's. */
type Prepared = Commit | { readonly failure: Rejected; readonly key: UnitPartitionKey | undefined };

function prepare(place: Place, grant: Grant, operation: BodyOperation): Prepared {
  const key = attempt(() => keyOf(place, operation));
  if ('failure' in key) return { ...key, key: undefined };
  checkKeyGranted(grant, place, key.result.values);
  const command = attempt(() => commandOf(place, key.result, operation));
  return 'failure' in command ? { ...command, key: key.result } : { key: key.result, command: command.result };
}

function keyOf({ container, info }: Place, { partitionKey, resource, type }: BodyOperation): UnitPartitionKey {
  if (partitionKey !== undefined) {
    return container.partitionKey(parsePartitionKeyHeader(partitionKey, info.definition.partitionKey));
  }
  if (resource !== undefined && type !== 'Patch') return container.partitionKeyOf(container.readClient(resource));
  throw new DatabaseError('partition-key-missing', 'PartitionKey value must be supplied for this operation.');
}

function commandOf(place: Place, key: UnitPartitionKey, operation: BodyOperation): WriteCommand {
  const { type, ifMatch, ifNoneMatch } = operation;
  const match = ifMatch === undefined ? {} : { ifMatch };
  const noneMatch = ifNoneMatch === undefined ? {} : { ifNoneMatch };
  switch (type) {
    case 'Create':
      return { kind: 'create', document: clientDocument(place, resourceOf(operation), key) };
    case 'Upsert':
      return { kind: 'upsert', document: clientDocument(place, resourceOf(operation), key), ...match, ...noneMatch };
    case 'Replace': {
      const document = clientDocument(place, resourceOf(operation), key);
      return { kind: 'replace', id: operation.id ?? document.id, document, ...match };
    }
    case 'Patch': {
      const body = parsePatchBody(JSON.parse(resourceOf(operation).toString('utf8')));
      return place.container.patchCommand(requiredId(operation), { ...body, ...match });
    }
    case 'Delete':
      return { kind: 'delete', id: requiredId(operation), ...match };
    case 'Read':
      return { kind: 'read', id: requiredId(operation), ...noneMatch };
    default:
      throw new DatabaseError('bad-request', `There is no batch operation '${type}'.`);
  }
}

function resourceOf({ resource, type }: BodyOperation): Buffer {
  if (resource !== undefined) return resource;
  throw new DatabaseError('bad-request', `A batch operation '${type}' needs a resourceBody.`);
}

function requiredId({ id, type }: BodyOperation): string {
  if (id !== undefined) return id;
  throw new DatabaseError('bad-request', `A batch operation '${type}' needs an id.`);
}

function idOf(command: WriteCommand): string {
  return 'id' in command ? command.id : command.document.id;
}

type Rejected = Extract<UnitOutcome, { kind: 'rejected' }> & { readonly retryAfterMs?: number };

function rejectedBy(error: unknown): Rejected {
  if (!isDatabaseError(error)) throw error;
  return rejected(error);
}

function rejected({ code, message, retryAfterMs }: DatabaseError): Rejected {
  return { kind: 'rejected', code, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

const failedDependency: Rejected = {
  kind: 'rejected',
  code: 'failed-dependency',
  message: 'Another operation of the same batch failed, so this one was not applied.',
};

const answerTooLarge: Rejected = {
  kind: 'rejected',
  code: 'batch-answer-too-large',
  message: `The documents that the operations of a bulk answer may have ${batchAnswerBytesMax} bytes together. Send it again.`,
};

/** What it answers may be much larger than what it says. */
function isOfStoredSize({ kind }: WriteCommand): boolean {
  return kind === 'read' || kind === 'patch';
}

function attempt<T>(make: () => T): { readonly result: T } | { readonly failure: Rejected } {
  try {
    return { result: make() };
  } catch (error) {
    return { failure: rejectedBy(error) };
  }
}

function failedAt(index: number, operations: readonly BodyOperation[], failure: Rejected): UnitOutcome[] {
  return operations.map((_, each) => (each === index ? failure : failedDependency));
}

function manyResponse(
  request: CosmosRequest,
  place: Place,
  outcomes: readonly UnitOutcome[],
  session: HeaderList = [],
): CosmosResponse {
  const facts = outcomes.map(factsOf);
  const isMinimal = prefersMinimal(request);
  const pieces: Buffer[] = [];
  let text = '[';
  for (let index = 0; index < facts.length; index += 1) {
    const each = facts[index] as OutcomeFacts;
    const outcome = outcomes[index];
    const isHidden = isMinimal && outcome?.kind !== 'read';
    const failure = outcome?.kind === 'rejected' ? outcome : undefined;
    text += `${index === 0 ? '' : ','}${headOf(each, failure)}`;
    if (each.document !== undefined && !isHidden) {
      pieces.push(Buffer.from(`${text},"resourceBody":`), each.document.bytes);
      text = '';
    }
    text += '}';
  }
  pieces.push(Buffer.from(`${text}]`));
  const body = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  const status = outcomes.some((outcome) => outcome.kind === 'rejected') ? 207 : 200;
  const charge = sumOfCharges(facts.map((each) => each.charge));
  return { status, charge, headers: [...containerOwner(place), ...session], body };
}

/** The result of one operation without its body and its last brace. */
function headOf({ status, substatus, charge, etag }: OutcomeFacts, failure: Rejected | undefined): string {
  let text = `{"statusCode":${status},"requestCharge":${charge}`;
  if (substatus !== undefined) text += `,"subStatusCode":${substatus}`;
  // Etags are the engine's own and need no escapes.
  if (etag !== undefined) text += `,"eTag":"\\"${etag}\\""`;
  if (failure === undefined) return text;
  text += `,"message":${JSON.stringify(failure.message)}`;
  if (failure.retryAfterMs !== undefined) text += `,"retryAfterMilliseconds":${failure.retryAfterMs}`;
  return text;
}
