// The processor of this library as the program of a host.

import type { HostRules } from '../host/rules.ts';
import { Processor } from '../processor.ts';
import type { MakePump } from '../pump/pump.ts';
import { makePumpFactory } from '../pump/pump-factory.ts';
import type { ProcessorSettings } from '../settings.ts';
import type { HostEquipment } from './world-host.ts';

/** What tests put in the place of something real. */
export interface ProcessorVariation {
  readonly rules?: HostRules;
  readonly makePump?: (make: MakePump) => MakePump;
}

export function processorProgram(
  equipment: HostEquipment,
  settings: ProcessorSettings,
  variation: ProcessorVariation = {},
): Processor {
  const { source, leases, ground, emit, observer, identity } = equipment;
  const makePump = makePumpFactory({
    settings: settings.pump,
    identity,
    handler: (changes, context) => observer.changes(changes, context),
  });
  return new Processor({
    settings,
    source,
    leases,
    ground,
    emit,
    observer,
    makePump: variation.makePump?.(makePump) ?? makePump,
    rules: variation.rules,
  });
}
