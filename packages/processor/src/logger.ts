// What a processor says on its own: a small listener on its events, with a line for what somebody wants to know at three in the morning, and
// none for what happens all the time. Every line begins with group and instance and has no line breaks in it, whatever documents and errors
// contain. Of one kind there are `logLinesMax` lines in `logWindowMs`, then one that counts the rest.

import type { Clock } from './environment.ts';
import type { HealthProblem, ProcessorEvent } from './events.ts';
import { logCharsMax, logLinesMax, logWindowMs } from './limits.ts';
import { messageOf } from './processor-error.ts';

/** For programs: what the line is made of. */
export interface LogFacts {
  readonly group: string;
  readonly instance: string;
  readonly event: ProcessorEvent['type'];
  readonly leaseToken?: string | undefined;
  readonly documentId?: string | undefined;
  readonly problem?: HealthProblem | undefined;
  readonly error?: unknown;
}

/** `console` is one, and so are the loggers of most libraries. */
export interface Logger {
  info(message: string, facts: LogFacts): void;
  warn(message: string, facts: LogFacts): void;
  error(message: string, facts: LogFacts): void;
}

type Level = keyof Logger;

interface Line {
  readonly level: Level;
  readonly text: string;
  /** Lines of one kind share a ration. */
  readonly kind: string;
}

export interface LogParts {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly group: string;
  readonly instance: string;
  /** What it reads, for people. */
  readonly source: string;
  readonly leases: string;
}

export class EventLog {
  readonly #parts: LogParts;
  readonly #rations = new Map<string, { sinceMs: number; said: number; left: number; level: Level }>();
  #isStandingBy = false;
  #hasStarted = false;

  constructor(parts: LogParts) {
    this.#parts = parts;
  }

  tell(event: ProcessorEvent): void {
    this.#sayWhatWasLeftOut(event.type === 'stopped');
    this.#hasStarted ||= event.type === 'started';
    // A start that failed has said why, to its caller.
    if (event.type === 'stopped' && !this.#hasStarted) return;
    const line = event.type === 'tick' ? this.#standby(event) : lineOf(event, this.#parts);
    if (line !== undefined) this.#say(line, event);
  }

  /** Said once, until this host has had a range again. A host that waits for its share does not stand by. */
  #standby({ leases, owned, hosts, wanted }: Extract<ProcessorEvent, { type: 'tick' }>): Line | undefined {
    const isStandingBy = owned === 0 && wanted === 0 && leases > 0 && hosts > 1;
    const isNew = isStandingBy && !this.#isStandingBy;
    this.#isStandingBy = isStandingBy;
    const ranges = leases === 1 ? 'the one range is' : `all ${leases} ranges are`;
    const text = `standing by: ${ranges} with other hosts; this one takes over when one of them goes`;
    return isNew ? { level: 'info', text, kind: 'tick' } : undefined;
  }

  #say({ level, text, kind }: Line, event: ProcessorEvent): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const ration = this.#rations.get(kind) ?? { sinceMs: nowMs, said: 0, left: 0, level };
    this.#rations.set(kind, ration);
    if (ration.said >= logLinesMax) {
      ration.left += 1;
      return;
    }
    ration.said += 1;
    this.#write(level, text, event);
  }

  #sayWhatWasLeftOut(isLast: boolean): void {
    const nowMs = this.#parts.clock.monotonicMs();
    for (const [kind, { sinceMs, left, level }] of this.#rations) {
      if (!isLast && nowMs - sinceMs < logWindowMs) continue;
      this.#rations.delete(kind);
      const seconds = Math.round((nowMs - sinceMs) / 1000);
      if (left > 0) this.#write(level, `${kind}: ${left} more like these in ${seconds} s`, { type: 'tick' });
    }
  }

  #write(level: Level, text: string, event: { readonly type: ProcessorEvent['type'] }): void {
    const { logger, group, instance } = this.#parts;
    const { leaseToken, documentId, id, problem, error }: Record<string, unknown> = Object(event);
    const facts: LogFacts = {
      group,
      instance,
      event: event.type,
      ...(typeof leaseToken === 'string' ? { leaseToken } : {}),
      ...(typeof (documentId ?? id) === 'string' ? { documentId: String(documentId ?? id) } : {}),
      ...(typeof problem === 'string' ? { problem: problem as HealthProblem } : {}), // Of the union of events.
      ...(error === undefined ? {} : { error }),
    };
    // A group of the older APIs has no name.
    const who = group === '' ? instance : `${group}/${instance}`;
    logger[level](oneLine(`tidemark ${who}: ${text}`), facts);
  }
}

function lineOf(event: Exclude<ProcessorEvent, { type: 'tick' }>, { source, leases }: LogParts): Line | undefined {
  const line = (level: Level, text: string, kind: string = event.type): Line => ({ level, text, kind });
  switch (event.type) {
    case 'started':
      return line('info', `started: reads ${source}, leases in ${leases}`);
    case 'stopped':
      return line('info', 'stopped');
    case 'paused':
      return line('warn', 'paused: the group stands still until it is resumed');
    case 'resumed':
      return line('info', 'resumed');
    case 'lease.acquired':
      return line(
        'info',
        acquired[event.from].replace('$', () => event.leaseToken),
      );
    case 'lease.released':
      return event.to === undefined ? undefined : line('info', `hands range ${event.leaseToken} over to ${event.to}`);
    case 'lease.lost':
      return line('warn', `lost range ${event.leaseToken} to ${event.to ?? 'another host'}`);
    case 'range.closed':
      if (event.reason !== 'fenced') return undefined;
      return line('warn', `gave up range ${event.leaseToken}: its lease could not be renewed in time`);
    case 'range.split':
      return line('info', `range ${event.leaseToken} is gone, and goes on as ${event.children.join(', ')}`);
    case 'item.parked':
    case 'item.skipped': {
      const what = event.type === 'item.parked' ? 'parked' : 'skipped';
      return line('warn', `${what} document '${event.id}' of range ${event.leaseToken}: ${messageOf(event.error)}`);
    }
    case 'item.replayed':
      return line('info', `replayed document '${event.id}' of range ${event.leaseToken}: its dead letter is gone`);
    case 'item.refused': {
      const why = messageOf(event.error);
      return line(
        'warn',
        `document '${event.id}' of range ${event.leaseToken} stays a dead letter, its replay failed: ${why}`,
      );
    }
    case 'health': {
      const { problem, message, leaseToken, documentId } = event;
      const range = leaseToken === undefined ? '' : ` (range ${leaseToken})`;
      const batch = documentId === undefined ? '' : ` (batch from document '${documentId}')`;
      return line(severe.has(problem) ? 'error' : 'warn', `${problem}: ${message}${range}${batch}`, problem);
    }
    case 'healthy': {
      // That the range is not read here any more has a line of its own.
      if (event.isLeft === true) return undefined;
      const range = event.leaseToken === undefined ? '' : ` (range ${event.leaseToken})`;
      return line('info', `recovered: ${event.problem} is over${range}`, `${event.problem} is over`);
    }
    case 'lease.renewed':
    case 'range.opened':
    case 'batch.delivered':
    case 'batch.failed':
    case 'checkpoint':
    case 'idle':
      return undefined;
  }
}

const acquired: Readonly<Record<Extract<ProcessorEvent, { type: 'lease.acquired' }>['from'], string>> = {
  free: 'reads range $',
  own: 'goes on with range $',
  expired: 'takes over range $: its host has given no sign of life',
  stolen: 'takes over range $: its host has not let go in time',
  'handed-over': 'takes over range $: handed over',
};

/** They do not get better by themselves, or nothing gets done meanwhile. */
const severe: ReadonlySet<HealthProblem> = new Set<HealthProblem>([
  'halted',
  'handler-hung',
  'dead-letters-failing',
  'instance-taken',
  'source-replaced',
  'position-refused',
  'credentials-refused',
]);

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are taken out.
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ');
  return plain.length > logCharsMax ? `${plain.slice(0, logCharsMax)}…` : plain;
}
