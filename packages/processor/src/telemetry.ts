// Where events go: to the channels of node:diagnostics_channel, for whoever traces or measures, and to the callback of the user.

import { channel } from 'node:diagnostics_channel';
import type { EventSink, ProcessorEvent } from './events.ts';

export type EventCallback = (event: ProcessorEvent) => void;

/** A listener that throws is a mistake of its author: it surfaces as an uncaught exception, and never disturbs the processor. */
export function makeEventSink(onEvent?: EventCallback): EventSink {
  return (event) => {
    const topic = channel(`tidemark:processor.${event.type}`);
    if (topic.hasSubscribers) topic.publish(event);
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
