// Where events go: to the channels of node:diagnostics_channel, for whoever traces or measures, and to the callback of the user.

import { channel } from 'node:diagnostics_channel';
import type { EventSink, HealthProblem, ProcessorEvent } from './events.ts';

export type EventCallback = (event: ProcessorEvent) => void;
type HealthEvent = Extract<ProcessorEvent, { type: 'health' }>;

/**
 * A listener that throws is a mistake of its author: it surfaces as an uncaught exception, and never disturbs the processor. A problem that
 * nobody listens for is said to `warn`: a handler that fails for ever would look like a feed without changes.
 */
export function makeEventSink(
  warn: (message: string, code: HealthProblem) => void,
  group: string,
  onEvent?: EventCallback,
): EventSink {
  return (event) => {
    const topic = channel(`tidemark:processor.${event.type}`);
    if (topic.hasSubscribers) topic.publish(event);
    else if (onEvent === undefined && event.type === 'health') warn(sentenceOf(event, group), event.problem);
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

function sentenceOf({ leaseToken, message }: HealthEvent, group: string): string {
  return `${message} (group '${group}'${leaseToken === undefined ? '' : `, range ${leaseToken}`})`;
}
