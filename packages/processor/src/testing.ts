// A world for tests of handlers and of processors: `@tidemark/processor/testing`.

export type { HostRules } from './host/rules.ts';
export { hostRules } from './host/rules.ts';
export type { TenureEvent, TenureState, TenureStep } from './host/tenure-states.ts';
export { tenureTable } from './host/tenure-states.ts';
export type { MakePump, Pump, PumpEnd } from './pump/pump.ts';
export { Chance } from './simulation/chance.ts';
export type { DeliveryRecord } from './simulation/delivery.ts';
export type {
  Fault,
  FaultKind,
  HostFaultKind,
  OperatorFaultKind,
  PlanOptions,
  Port,
  RequestFaultKind,
} from './simulation/fault.ts';
export { drawFaults, faultKinds, hostFaultKinds, operatorFaultKinds, requestFaultKinds } from './simulation/fault.ts';
export type { LeaseFacts } from './simulation/lease-facts.ts';
export { leaseFactsOf } from './simulation/lease-facts.ts';
export type { Change, ModelRange, Write } from './simulation/model-container.ts';
export { lsnOf, ModelContainer, positionOfKey } from './simulation/model-container.ts';
export type { JournalEntry } from './simulation/model-documents.ts';
export { ModelDocuments } from './simulation/model-documents.ts';
export type { NetworkTimes } from './simulation/network.ts';
export { defaultNetworkTimes } from './simulation/network.ts';
export type { ProcessorVariation } from './simulation/processor-program.ts';
export { processorProgram } from './simulation/processor-program.ts';
export { Schedule } from './simulation/schedule.ts';
export type { TestWorld, TestWorldOptions, TestWorldReport } from './simulation/test-world.ts';
export { createTestWorld, handlerFaultKinds } from './simulation/test-world.ts';
export type { InvariantId, Violation } from './simulation/violation.ts';
export type { WorldOptions } from './simulation/world.ts';
export { World } from './simulation/world.ts';
export type { IdleCosts } from './simulation/world-checks.ts';
export {
  checkIdle,
  checkTakeover,
  comeToBalance,
  comeToRest,
  describeLeases,
  unrestOf,
} from './simulation/world-checks.ts';
export type { HandlerInWorld, HostEquipment, HostProgram, OpenCall, WorldHost } from './simulation/world-host.ts';
export { FatalError } from './simulation/world-host.ts';
export { worldSettings } from './simulation/world-settings.ts';
