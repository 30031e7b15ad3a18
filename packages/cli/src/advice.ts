// What to do about an answer, or none, of an account: what its words cannot say because they do not know the command line.

import type { RestError } from '@tidemark/client';
import { isRestError } from '@tidemark/client';
import type { DatabaseError } from '@tidemark/model';
import { ownCommand } from './own-command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The message and what to do about it. */
export function explainAnswer(error: DatabaseError, args: readonly string[], environment: Environment): string {
  const answer = answerOf(error);
  if (answer?.isForeign === true) return `${answer.message}${saysWhere}`;
  return `${error.message}${adviceFor(error, args, environment)}`;
}

/** What reads feeds and leases gives an error another code, and keeps the answer as its cause. */
function answerOf(error: DatabaseError): RestError | undefined {
  let each: unknown = error;
  while (each instanceof Error && !isRestError(each)) each = each.cause;
  return isRestError(each) ? each : undefined;
}

/** Empty, or sentences that go on from the message. */
function adviceFor(error: DatabaseError, args: readonly string[], environment: Environment): string {
  if (error.code === 'unauthorized') return usesDefaultKey(args, environment) ? defaultKey : otherKey;
  if (error.message.endsWith('?') && error.message.includes(' Did you mean ')) return '';
  if (error.code === 'not-found' || error.code === 'container-not-found')
    return missingAdvice(args, ownCommand(environment));
  if (error.code !== 'unavailable') return '';
  if (/ECONNREFUSED|ENOTFOUND/.test(error.message)) return saysWhere;
  return error.message.includes('NODE_EXTRA_CA_CERTS') ? untrusted(ownCommand(environment)) : '';
}

const defaultKey = ' TIDEMARK_KEY is not set, so this was signed with the well-known key.';
const otherKey = ' TIDEMARK_KEY, or the connection string, has to hold a key that the server was started with.';
const missing = (command: string): string => ` A program can create it with the SDK, or ${command} create`;
const missingLeases = ' Is the name right, also that of --leases, where the processor keeps its leases?';
const saysWhere = ' --endpoint, TIDEMARK_ENDPOINT or COSMOS_CONNECTION_STRING says where.';
const untrusted = (command: string): string =>
  ` ${command} cert says where that of a Tidemark server with a folder is; one with --memory makes one for itself: use http://.`;

function missingAdvice(args: readonly string[], command: string): string {
  if (args.some((arg) => arg.startsWith('--leases'))) return missingLeases;
  // Whoever wants it gone need not create it.
  if (args[0] === 'rm') return '';
  const isContainer = args.some((arg) => /^[^/\s]+\/[^/\s]+\/?$/.test(arg));
  return isContainer ? `${missing(command)} with --partition-key.` : `${missing(command)} DATABASE.`;
}

function usesDefaultKey(args: readonly string[], environment: Environment): boolean {
  const isGiven = (name: string): boolean => (environment[name] ?? '') !== '';
  if (isGiven('TIDEMARK_KEY') || isGiven('TIDEMARK_RESOURCE_TOKEN')) return false;
  const isNamed = (flag: string): boolean => args.some((arg) => arg.startsWith(flag));
  return !isNamed('--connection-string-env') && (isNamed('--endpoint') || !isGiven('COSMOS_CONNECTION_STRING'));
}
