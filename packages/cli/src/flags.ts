// What the command line of `npm start` may say.

import { parseArgs } from 'node:util';

export interface Flags {
  readonly port: number;
  readonly host: string;
  /** Undefined keeps everything in memory. */
  readonly data: string | undefined;
}

export type ReadFlags =
  | { readonly kind: 'serve'; readonly flags: Flags }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const help = `Tidemark: a document database whose centre is its change feed.

  npm start -- [flags]

  --port N      where to listen; 0 takes any port that is free   (default 8081)
  --host H      an address of this machine                       (default 127.0.0.1)
  --data DIR    where the data is kept                           (default ./tidemark-data)
  --memory      keep nothing: the data is gone when it stops
  --help        this text

It speaks HTTP; HTTPS comes later. It listens on this machine only, because its key is the one that every emulator has.
When it is ready it writes one line of JSON to standard output; everything for people goes to standard error.
`;

const options = {
  port: { type: 'string' },
  host: { type: 'string' },
  data: { type: 'string' },
  memory: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const portMax = 65_535;

export function readFlags(args: readonly string[]): ReadFlags {
  const parsed = parse(args);
  if ('message' in parsed) return { kind: 'wrong', message: parsed.message };
  const { values } = parsed;
  if (values.help === true) return { kind: 'help' };
  const port = values.port === undefined ? 8081 : Number(values.port);
  if (values.port === '' || !Number.isInteger(port) || port < 0 || port > portMax) {
    return { kind: 'wrong', message: `--port is a number from 0 to ${portMax}, not '${values.port}'.` };
  }
  if (values.memory === true && values.data !== undefined) {
    return { kind: 'wrong', message: 'Give --data or --memory, not both: what is kept in memory has no folder.' };
  }
  if (values.data === '' || values.host === '') {
    return { kind: 'wrong', message: '--data and --host need a value.' };
  }
  const data = values.memory === true ? undefined : (values.data ?? './tidemark-data');
  return { kind: 'serve', flags: { port, host: values.host ?? '127.0.0.1', data } };
}

interface Values {
  readonly port?: string | undefined;
  readonly host?: string | undefined;
  readonly data?: string | undefined;
  readonly memory?: boolean | undefined;
  readonly help?: boolean | undefined;
}

function parse(args: readonly string[]): { readonly values: Values } | { readonly message: string } {
  const names = Object.keys(options);
  for (const arg of args) {
    const [, name = ''] = /^--([^=]*)/.exec(arg) ?? [];
    if (!arg.startsWith('--') || names.includes(name)) continue;
    const near = names.find((each) => distance(each, name) <= 2);
    return { message: `There is no flag --${name}.${near === undefined ? '' : ` Did you mean --${near}?`}` };
  }
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // parseArgs throws nothing else.
    // Without the `--`, npm keeps a flag to itself and passes its value on.
    if (code !== 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return { message };
    return { message: `${message}. With npm, flags stand after --: npm start -- --port 0.` };
  }
}

/** How many letters have to be changed, added or left out. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
