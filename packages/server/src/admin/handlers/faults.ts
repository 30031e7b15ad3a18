// Faults on demand, for a server that was started with --chaos.

import { DatabaseError } from '@tidemark/model';
import type { FaultKind, FaultMoment, FaultRule, Faults } from '../../faults.ts';
import { faultKinds } from '../../faults.ts';
import { faultDelayMsMax } from '../../limits.ts';
import type { CosmosResponse } from '../../response.ts';
import type { AdminContext } from '../admin-handler.ts';
import { adminResponse } from '../admin-handler.ts';
import type { AdminRequest } from '../admin-request.ts';
import { membersOf, textMember } from '../admin-request.ts';

const memberNames = [
  'kind',
  'when',
  'operation',
  'database',
  'container',
  'probability',
  'seed',
  'count',
  'durationMs',
  'retryAfterMs',
  'latencyMs',
] as const;

export function addFault(request: AdminRequest, context: AdminContext): CosmosResponse {
  const faults = faultsOf(context);
  return adminResponse(201, faults.add(ruleOf(request, context.operations)));
}

export function listFaults(_: AdminRequest, context: AdminContext): CosmosResponse {
  const faults = faultsOf(context).list();
  return adminResponse(200, { faults, count: faults.length });
}

export function readFault({ parameters }: AdminRequest, context: AdminContext): CosmosResponse {
  const { fault = '' } = parameters;
  const found = faultsOf(context).find(fault);
  if (found === undefined) throw new DatabaseError('not-found', `There is no fault ${fault}.`);
  return adminResponse(200, found);
}

export function deleteFault({ parameters }: AdminRequest, context: AdminContext): CosmosResponse {
  const { fault = '' } = parameters;
  if (!faultsOf(context).remove(fault)) throw new DatabaseError('not-found', `There is no fault ${fault}.`);
  return { status: 204, charge: 0, headers: [], body: undefined };
}

export function clearFaults(_: AdminRequest, context: AdminContext): CosmosResponse {
  faultsOf(context).clear();
  return { status: 204, charge: 0, headers: [], body: undefined };
}

function faultsOf({ faults }: AdminContext): Faults {
  if (faults !== undefined) return faults;
  throw new DatabaseError('forbidden', 'Faults are off: start the server with --chaos to make some.');
}

function ruleOf(request: AdminRequest, operations: readonly string[]): FaultRule {
  const members = membersOf(request, memberNames);
  const kind = oneOf<FaultKind>('kind', members.kind, faultKinds);
  const when = members.when === undefined ? 'before' : oneOf<FaultMoment>('when', members.when, ['before', 'after']);
  if (when === 'after' && kindsThatDeny.has(kind)) {
    const message = `A ${kind} says that nothing was done: it cannot come 'after'. Those that can are 503, latency and reset.`;
    throw new DatabaseError('bad-request', message);
  }
  const database = textMember('database', members.database);
  const container = textMember('container', members.container);
  if (container !== undefined && database === undefined) {
    throw new DatabaseError('bad-request', `A 'container' needs its 'database' beside it.`);
  }
  const latencyMs = numberMember('latencyMs', members.latencyMs, { min: 0, max: faultDelayMsMax });
  if (kind === 'latency' && latencyMs === undefined) {
    throw new DatabaseError('bad-request', `A fault of kind 'latency' needs 'latencyMs'.`);
  }
  const count = numberMember('count', members.count, { min: 1, max: Number.MAX_SAFE_INTEGER });
  const durationMs = numberMember('durationMs', members.durationMs, { min: 1, max: Number.MAX_SAFE_INTEGER });
  return {
    kind,
    when,
    operations: operationsOf(members.operation, operations),
    ...(database === undefined ? {} : { database }),
    ...(container === undefined ? {} : { container }),
    probability: numberMember('probability', members.probability, { min: 0, max: 1, isReal: true }) ?? 1,
    seed: numberMember('seed', members.seed, { min: 0, max: 2 ** 32 - 1 }) ?? 1,
    ...(count === undefined ? {} : { count }),
    ...(durationMs === undefined ? {} : { durationMs }),
    retryAfterMs: numberMember('retryAfterMs', members.retryAfterMs, { min: 0, max: faultDelayMsMax }) ?? 100,
    latencyMs: latencyMs ?? 0,
  };
}

/** The service never says these of what it has done, and clients rely on it. */
const kindsThatDeny: ReadonlySet<FaultKind> = new Set<FaultKind>(['429', '410', '449']);

function operationsOf(value: unknown, known: readonly string[]): string[] {
  if (value === undefined) return [];
  const names: unknown[] = Array.isArray(value) ? value : [value];
  return names.map((name) => oneOf('operation', name, known));
}

function oneOf<T extends string>(name: string, value: unknown, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new DatabaseError('bad-request', `'${name}' must be one of ${choices.join(', ')}.`);
}

function numberMember(
  name: string,
  value: unknown,
  { min, max, isReal = false }: { readonly min: number; readonly max: number; readonly isReal?: boolean },
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= min && value <= max && (isReal || Number.isInteger(value))) return value;
  throw new DatabaseError('bad-request', `'${name}' must be a ${isReal ? '' : 'whole '}number from ${min} to ${max}.`);
}
