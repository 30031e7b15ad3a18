// Metrics as text, in the format that Prometheus scrapes (version 0.0.4): two lines about each metric, then its samples.

import { assert } from '@tidemark/model';
import type { Histogram } from './histogram.ts';
import type { MetricDefinition } from './metric-definitions.ts';
import { metricDefinitions } from './metric-definitions.ts';

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

export class Exposition {
  #text = '';
  #last: MetricDefinition | undefined;

  get text(): string {
    return this.#text;
  }

  /** All samples of one metric come one after the other. `values` are those of its labels. */
  add(name: string, value: number, ...values: readonly string[]): void {
    const { labels } = this.#begin(name);
    this.#sample(name, labels, values, value);
  }

  addHistogram(name: string, { bounds, counts, sum }: Histogram, ...values: readonly string[]): void {
    const { labels } = this.#begin(name);
    let count = 0;
    for (const [index, bound] of [...bounds, Number.POSITIVE_INFINITY].entries()) {
      count += counts[index] ?? 0;
      this.#sample(`${name}_bucket`, [...labels, 'le'], [...values, shown(bound)], count);
    }
    this.#sample(`${name}_sum`, labels, values, sum);
    this.#sample(`${name}_count`, labels, values, count);
  }

  #begin(name: string): MetricDefinition {
    if (this.#last?.name === name) return this.#last;
    const definition = byName.get(name);
    assert(definition !== undefined, `${name} is a metric`);
    this.#last = definition;
    this.#text += `# HELP ${name} ${definition.help}\n# TYPE ${name} ${definition.type}\n`;
    return definition;
  }

  #sample(name: string, labels: readonly string[], values: readonly string[], value: number): void {
    assert(labels.length === values.length, `a sample of ${name} has ${labels.length} labels`);
    const pairs = labels.map((label, index) => `${label}="${escaped(values[index] ?? '')}"`);
    const all = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
    this.#text += `${name}${all} ${shown(value)}\n`;
  }
}

const byName: ReadonlyMap<string, MetricDefinition> = new Map(metricDefinitions.map((each) => [each.name, each]));

function shown(value: number): string {
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value);
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
