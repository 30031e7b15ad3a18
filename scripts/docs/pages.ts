// Which part of which page is made from the code. `npm run docs` writes them; a test says which of them are stale.

import { adminPart, endpointsPart } from './endpoints.ts';
import { errorsPart } from './errors.ts';
import { headersPart } from './headers.ts';
import { limitsPart, queryLimitsPart } from './limits.ts';
import { metricsPart } from './metrics.ts';
import {
  processorErrorsPart,
  processorEventsPart,
  processorHealthPart,
  processorNumbersPart,
  processorOptionsPart,
} from './processor.ts';
import { queryFunctionsPart } from './query-functions.ts';
import { settingsPart } from './settings.ts';

export interface GeneratedPart {
  readonly page: string;
  /** Between `<!-- NAME -->` and `<!-- /NAME -->`. */
  readonly name: string;
  readonly make: () => string;
}

export const generatedParts: readonly GeneratedPart[] = [
  { page: 'docs/reference/endpoints.md', name: 'endpoints', make: endpointsPart },
  { page: 'docs/reference/admin.md', name: 'endpoints', make: adminPart },
  { page: 'docs/reference/headers.md', name: 'headers', make: headersPart },
  { page: 'docs/reference/errors.md', name: 'errors', make: errorsPart },
  { page: 'docs/reference/limits.md', name: 'limits', make: limitsPart },
  { page: 'docs/query.md', name: 'limits', make: queryLimitsPart },
  { page: 'docs/reference/query-functions.md', name: 'functions', make: queryFunctionsPart },
  { page: 'docs/reference/metrics.md', name: 'metrics', make: metricsPart },
  { page: 'docs/reference/cli.md', name: 'settings', make: settingsPart },
  { page: 'docs/reference/processor.md', name: 'options', make: processorOptionsPart },
  { page: 'docs/reference/processor.md', name: 'numbers', make: processorNumbersPart },
  { page: 'docs/reference/processor.md', name: 'events', make: processorEventsPart },
  { page: 'docs/reference/processor.md', name: 'health', make: processorHealthPart },
  { page: 'docs/reference/processor.md', name: 'errors', make: processorErrorsPart },
];
