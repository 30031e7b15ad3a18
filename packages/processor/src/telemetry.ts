// Where events go: to the channels of node:diagnostics_channel, for whoever traces or measures, and to the callback of the user.

import { channel } from 'node:diagnostics_channel';
import type { EventSink, HealthProblem, ProcessorEvent } from './events.ts';
import { stackOf } from './processor-error.ts';

export type EventCallback = (event: ProcessorEvent) => void;
type HealthEvent = Extract<ProcessorEvent, { type: 'health' }>;

/** `detail`: lines to show below the message. */
type Warn = (
  message: string,
  told: { readonly code: HealthProblem; readonly cause: unknown; readonly detail: string | undefined },
) => void;

/**
 * A listener that throws is a mistake of its author: it surfaces as an uncaught exception, and never disturbs the processor. A problem that
 * nobody listens for is said to `warn`: a handler that fails for ever would look like a feed without changes.
 */
export function makeEventSink(warn: Warn, group: string, onEvent?: EventCallback): EventSink {
  return (event) => {
    const topic = channel(`tidemark:processor.${event.type}`);
    if (topic.hasSubscribers) topic.publish(event);
    else if (onEvent === undefined && event.type === 'health') warn(sentenceOf(event, group), toldOf(event));
    if (onEvent === undefined) return;
    try {
      onEvent(event);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}

function sentenceOf({ leaseToken, message, documentId }: HealthEvent, group: string): string {
  const range = leaseToken === undefined ? '' : `, range ${leaseToken}`;
  const batch = documentId === undefined ? '' : `, batch from document '${documentId}'`;
  return `${message} (group '${group}'${range}${batch})`;
}

function toldOf({ problem, error }: HealthEvent): Parameters<Warn>[1] {
  return { code: problem, cause: error, detail: ofHandlers.has(problem) ? stackOf(error) : undefined };
}

/** Their errors come from the user's code, and the stack names the line in it. Others would show the inside of this package. */
const ofHandlers: ReadonlySet<HealthProblem> = new Set<HealthProblem>(['handler-failing', 'halted']);
