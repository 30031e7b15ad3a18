import { metricDefinitions } from '../../packages/server/src/metric-definitions.ts';
import { code, table } from './table.ts';

export function metricsPart(): string {
  const rows = metricDefinitions.map(({ name, type, labels, help }) => [
    code(name),
    type,
    labels.map(code).join(', '),
    help,
  ]);
  return table(['metric', 'type', 'labels', 'what'], rows);
}
