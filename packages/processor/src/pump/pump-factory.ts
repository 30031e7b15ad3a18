// Makes the pumps of a host.

import type { MakePump } from './pump.ts';
import type { PumpParts } from './pump-parts.ts';
import { RangePump } from './range-pump.ts';

export function makePumpFactory(parts: PumpParts): MakePump {
  return (lease, context) => new RangePump(parts, lease, context);
}
