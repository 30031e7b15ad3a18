// The processor of this library as the program of a host.

import type { HostRules } from '../host/rules.ts';
import { leaseNames } from '../lease/lease-names.ts';
import { Processor } from '../processor.ts';
import type { MakePump } from '../pump/pump.ts';
import { makePumpFactory } from '../pump/pump-factory.ts';
import type { ProcessorSettings } from '../settings.ts';
import type { HostEquipment } from './world-host.ts';

/** What tests put in the place of something real. */
export interface ProcessorVariation {
  readonly rules?: HostRules;
  readonly wrapPump?: (make: MakePump) => MakePump;
}

export function processorProgram(
  equipment: HostEquipment,
  settings: ProcessorSettings,
  variation: ProcessorVariation = {},
): Processor {
  const { source, leases, ground, emit, observer, identity, deadLetters } = equipment;
  const makePump = makePumpFactory({
    settings: settings.pump,
    identity,
    handler: (changes, context) => observer.changes(changes, context),
    deadLetters: { store: deadLetters, group: leaseNames(settings.name, identity).prefix },
  });
  return new Processor({
    settings,
    source,
    leases,
    ground,
    emit,
    observer,
    makePump: variation.wrapPump?.(makePump) ?? makePump,
    rules: variation.rules,
  });
}
