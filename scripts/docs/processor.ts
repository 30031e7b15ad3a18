import { eventMeanings, healthMeanings } from '../../packages/processor/src/event-meanings.ts';
import type { NumberOption } from '../../packages/processor/src/option-table.ts';
import { numberOptions, otherOptions } from '../../packages/processor/src/option-table.ts';
import { processorErrorMeanings } from '../../packages/processor/src/processor-error.ts';
import { code, table } from './table.ts';

export function processorOptionsPart(): string {
  const rows = Object.entries(otherOptions).map(([name, { type, fallback, meaning }]) => [
    code(name),
    type.replaceAll('\\|', '|'),
    fallback,
    meaning,
  ]);
  return table(['option', 'value', 'default', 'meaning'], rows);
}

export function processorNumbersPart(): string {
  const rows = Object.entries(numberOptions).map(([name, { unit, fallback, min, meaning }]: [string, NumberOption]) => [
    code(name),
    unit === '' ? 'weight' : unit,
    fallback.toLocaleString('en-US'),
    min.toLocaleString('en-US'),
    meaning,
  ]);
  return table(['option', 'unit', 'default', 'least', 'meaning'], rows);
}

export function processorEventsPart(): string {
  return meanings('event', eventMeanings);
}

export function processorHealthPart(): string {
  return meanings('problem', healthMeanings);
}

export function processorErrorsPart(): string {
  return meanings('code', processorErrorMeanings);
}

function meanings(head: string, of: Readonly<Record<string, string>>): string {
  return table(
    [head, 'meaning'],
    Object.entries(of).map(([name, meaning]) => [code(name), meaning]),
  );
}
