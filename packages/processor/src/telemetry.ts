// Where events go: to the channels of node:diagnostics_channel, for whoever traces or measures, to the log, and to the callback of the user.

import { channel } from 'node:diagnostics_channel';
import type { EventSink, ProcessorEvent } from './events.ts';
import type { EventLog } from './logger.ts';

export type EventCallback = (event: ProcessorEvent) => void;

/** A listener or a logger that throws is a mistake of its author: it surfaces as an uncaught exception, and never disturbs the processor. */
export function makeEventSink(log: EventLog | undefined, onEvent?: EventCallback): EventSink {
  return (event) => {
    const topic = channel(`tidemark:processor.${event.type}`);
    if (topic.hasSubscribers) topic.publish(event);
    guarded(() => log?.tell(event));
    guarded(() => onEvent?.(event));
  };
}

function guarded(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
