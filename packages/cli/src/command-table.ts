// Every command, once: arguments, options, examples. commander, `--help` and docs/reference/cli.md come from here. What a
// command does is loaded when it is called, so that `serve` does not wait for `import`.
// tidy: table

import type { Run } from './call.ts';
import { flagOf, settingNames, settings } from './settings.ts';

export interface OptionSpec {
  /** As commander reads it: `--endpoint <URL>`. */
  readonly flags: string;
  readonly meaning: string;
  readonly fallback?: string;
  /** It may be given several times, and each of them counts. */
  readonly isRepeatable?: boolean;
}

export interface CommandSpec {
  /** `config show` is the command `show` of the command `config`. */
  readonly name: string;
  /** As commander reads them: `<container> [file]`. */
  readonly arguments?: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  readonly examples: readonly string[];
  readonly load: () => Promise<{ readonly run: Run }>;
}

const connection: readonly OptionSpec[] = [
  {
    flags: '--endpoint <URL>',
    meaning: 'the account: Tidemark’s, an emulator’s or Azure’s',
    fallback: 'TIDEMARK_ENDPOINT, COSMOS_CONNECTION_STRING, or http://127.0.0.1:8081',
  },
  {
    flags: '--connection-string-env <NAME>',
    meaning: 'an environment variable with a connection string, instead of --endpoint',
  },
];

/** Of commands that only Tidemark has. */
const server: readonly OptionSpec[] = connection.map((option) =>
  option.flags.startsWith('--endpoint') ? { ...option, meaning: 'the server' } : option,
);

const asJson: OptionSpec = { flags: '--json', meaning: 'one JSON object on standard output instead of text' };

const folder: OptionSpec = {
  flags: '--data <DIR>',
  meaning: 'a data folder that no server has open, instead of a running server',
};

const group: readonly OptionSpec[] = [
  ...connection,
  { flags: '--leases <CONTAINER>', meaning: 'where the leases are, DATABASE/CONTAINER; required' },
  {
    flags: '--leases-connection-string-env <NAME>',
    meaning: 'an environment variable with the connection string of the leases and dead letters',
    fallback: 'the same account',
  },
  {
    flags: '--name <NAME>',
    meaning: 'the group: processorName of .NET, the lease prefix of Azure Functions',
    fallback: 'the only one there is',
  },
];

const deadLetters: OptionSpec = {
  flags: '--dead-letters <CONTAINER>',
  meaning: 'where the dead letters are, DATABASE/CONTAINER',
};

const letters: readonly OptionSpec[] = [
  { ...deadLetters, meaning: `${deadLetters.meaning}; required` },
  { flags: '--letter <ID>', meaning: 'only this dead letter' },
  { flags: '--document <ID>', meaning: 'only changes of the document with this id' },
  { flags: '--partition-key-json <JSON>', meaning: 'only changes of this partition key, as ["a"]' },
  { flags: '--error <TEXT>', meaning: 'only those whose error has this text' },
];

/** Of a document, or of the documents that a query is about. */
const partitionKey: OptionSpec = {
  flags: '--partition-key <JSON>',
  meaning: 'the partition key: ada, 7, or ["a","b"] for a hierarchical one; a string needs no quotes',
};

function serveOptions(): OptionSpec[] {
  return settingNames.map((name) => {
    const { meaning, fallback, fallbackText, argument: value } = settings[name];
    const text = fallbackText ?? (fallback === undefined || fallback === false ? '' : String(fallback));
    const argument = value === undefined ? '' : ` <${value}>`;
    return { flags: `${flagOf(name)}${argument}`, meaning, ...(text === '' ? {} : { fallback: text }) };
  });
}

const configFile: OptionSpec = {
  flags: '--config <FILE>',
  meaning: 'a JSON file with settings',
  fallback: 'TIDEMARK_CONFIG, or tidemark.json if there is one',
};

export const commands: readonly CommandSpec[] = [
  {
    name: 'serve',
    summary: 'start the server',
    options: [...serveOptions(), configFile],
    examples: [
      'tidemark serve',
      'tidemark serve --memory --port 0',
      'TIDEMARK_KEY=… tidemark serve --host 0.0.0.0 --https-only',
    ],
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'query',
    arguments: '[container] [query]',
    summary: 'ask a container with SQL; without a query, one after the other at a prompt, or from standard input',
    options: [
      ...connection,
      {
        flags: '--param <NAME=JSON>',
        meaning: `the value of @NAME in the query, as city=Brest, n=7, or 'id="5"' for a string that looks like a number; may be given several times`,
        isRepeatable: true,
      },
      {
        ...partitionKey,
        meaning: 'ask this partition key only: ada, 7, or ["a"] for the beginning of a hierarchical one',
      },
      { flags: '--limit <N>', meaning: 'end after so many rows' },
      { flags: '--page <N>', meaning: 'rows for each request', fallback: 'as many as the server likes' },
      {
        flags: '--explain',
        meaning: 'say which ranges are asked, what is merged and what a page costs, instead of the rows',
      },
      { flags: '--table', meaning: 'a table, also where it is no terminal' },
      { flags: '--json', meaning: 'each row as one line of JSON, exactly as the server sent it, also on a terminal' },
    ],
    examples: [
      "tidemark query shop/orders 'SELECT * FROM c WHERE c.total > 100'",
      "tidemark query shop/orders 'SELECT VALUE COUNT(1) FROM c WHERE c.city = @city' --param city=Brest",
      "tidemark query shop/orders 'SELECT c.id FROM c ORDER BY c.total' --explain",
      'tidemark query shop/orders < report.sql > report.jsonl',
      'tidemark query shop/orders',
    ],
    load: () => import('./commands/query.ts'),
  },
  {
    name: 'ls',
    arguments: '[name]',
    summary: 'list databases; of DATABASE the containers, of DATABASE/CONTAINER the first documents',
    options: [
      ...connection,
      { flags: '--limit <N>', meaning: 'documents at most', fallback: '100' },
      { flags: '--json', meaning: 'each as one line of JSON' },
    ],
    examples: ['tidemark ls', 'tidemark ls shop', 'tidemark ls shop/orders --limit 10'],
    load: () => import('./commands/ls.ts'),
  },
  {
    name: 'get',
    arguments: '<container> <id>',
    summary: 'print a document',
    options: [
      ...connection,
      partitionKey,
      { flags: '--bare', meaning: 'leave out the system properties: _rid, _self, _etag, _ts, _attachments' },
      { flags: '--json', meaning: 'on one line, exactly as the server sent it, also on a terminal' },
    ],
    examples: ['tidemark get shop/orders 42 --partition-key ada', 'tidemark get shop/orders 42 --bare > order.json'],
    load: () => import('./commands/get.ts'),
  },
  {
    name: 'put',
    arguments: '<container> [file]',
    summary: 'write a document, or one a line, from a file or from standard input',
    options: [
      ...connection,
      { flags: '--create', meaning: 'create only: a document that is there already is an error' },
      { flags: '--if-match <ETAG>', meaning: 'only over the version with this etag' },
      { flags: '--json', meaning: 'each document as it was stored, as one line of JSON' },
    ],
    examples: ['tidemark put shop/orders order.json', `echo '{"id":"42","customer":"ada"}' | tidemark put shop/orders`],
    load: () => import('./commands/put.ts'),
  },
  {
    name: 'rm',
    arguments: '<name> [id]',
    summary: 'remove a document; of DATABASE/CONTAINER or DATABASE alone everything in it',
    options: [
      ...connection,
      partitionKey,
      { flags: '--if-match <ETAG>', meaning: 'only the version with this etag' },
      { flags: '--yes', meaning: 'remove a container or a database without asking' },
    ],
    examples: ['tidemark rm shop/orders 42 --partition-key ada', 'tidemark rm shop/orders', 'tidemark rm shop --yes'],
    load: () => import('./commands/rm.ts'),
  },
  {
    name: 'create',
    arguments: '<name>',
    summary: 'create a DATABASE, or a DATABASE/CONTAINER and its database if that is missing',
    options: [
      ...connection,
      { flags: '--partition-key <PATH>', meaning: 'of a container, required: /customer, or /tenant,/user' },
      { flags: '--throughput <RU>', meaning: 'RU/s of the container, or of a database whose containers share it' },
      {
        flags: '--ttl <SECONDS>',
        meaning: 'remove documents so long after their last write; -1: as each document says',
      },
      { flags: '--policy <FILE>', meaning: 'a JSON file with the indexing policy' },
      { flags: '--if-not-exists', meaning: 'no error where it is there already' },
    ],
    examples: [
      'tidemark create shop/orders --partition-key /customer',
      'tidemark create shop/events --partition-key /tenant,/user --throughput 24000 --ttl 86400',
      'tidemark create shop --if-not-exists',
    ],
    load: () => import('./commands/create.ts'),
  },
  {
    name: 'tail',
    arguments: '<container>',
    summary: 'follow the change feed of a container, DATABASE/CONTAINER',
    options: [
      ...connection,
      {
        flags: '--from <WHERE>',
        meaning:
          'beginning, now, a time (changes after this second: 2026-01-31T12:00:00Z; without a zone UTC) or a position that an earlier tail printed',
        fallback: 'now',
      },
      {
        flags: '--mode <MODE>',
        meaning: 'latest (the newest version of each document) or all-versions (each change, with deletes)',
        fallback: 'latest',
      },
      { flags: '--key <JSON>', meaning: 'only this partition key: "a", 7, or ["a","b"] for a hierarchical one' },
      { flags: '--range <ID>', meaning: 'only this range; it is followed through splits and merges' },
      { flags: '--limit <N>', meaning: 'end after so many changes' },
      { flags: '--until-drained', meaning: 'end when there is nothing left to read' },
      { flags: '--poll <MS>', meaning: 'pause between two reads where the server cannot wait', fallback: '1000' },
      { flags: '--json', meaning: 'each change as one line of JSON, exactly as the server sent it' },
    ],
    examples: [
      'tidemark tail shop/orders',
      'tidemark tail shop/orders --from beginning --until-drained --json > changes.jsonl',
      `tidemark tail shop/orders --key '"ada"' --mode all-versions --from 2026-01-31T12:00:00Z`,
      'tidemark tail shop/orders --connection-string-env AZURE_COSMOS',
    ],
    load: () => import('./commands/tail.ts'),
  },
  {
    name: 'import',
    arguments: '<container> [file]',
    summary: 'write the documents of a JSONL file, or of standard input, into a container',
    options: [
      ...connection,
      { flags: '--create', meaning: 'create only: a document that is there already is counted as failed' },
      { flags: '--partition-key <PATH>', meaning: 'create database and container if they are missing, with this key' },
      { flags: '--throughput <RU>', meaning: 'of a container that --partition-key creates' },
      { flags: '--concurrency <N>', meaning: 'requests at a time', fallback: '8' },
      { flags: '--state <FILE>', meaning: 'where the progress is kept', fallback: 'FILE.import-state' },
      { flags: '--restart', meaning: 'begin anew, whatever the state file says' },
      asJson,
    ],
    examples: [
      'tidemark import shop/orders orders.jsonl --partition-key /customer',
      'gunzip -c orders.jsonl.gz | tidemark import shop/orders',
      'tidemark import shop/orders orders.jsonl --connection-string-env AZURE_COSMOS',
    ],
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'export',
    arguments: '<container> [file]',
    summary: 'write the documents of a container as JSONL into a file, or to standard output',
    options: [
      ...connection,
      { flags: '--bare', meaning: 'leave out the system properties: _rid, _self, _etag, _ts, _attachments' },
      { flags: '--state <FILE>', meaning: 'where the progress is kept', fallback: 'FILE.export-state' },
      { flags: '--continuation <TOKEN>', meaning: 'go on where an export to standard output was interrupted' },
      { flags: '--restart', meaning: 'begin anew, and write over the file' },
      { flags: '--page <N>', meaning: 'documents for each request', fallback: '1000' },
      asJson,
    ],
    examples: [
      'tidemark export shop/orders orders.jsonl',
      'tidemark export shop/orders | gzip > orders.jsonl.gz',
      'tidemark export shop/orders --bare | tidemark import copy/orders --partition-key /customer',
    ],
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'backup',
    arguments: '[target]',
    summary: 'copy everything as of now, while a server runs or from a folder',
    options: [...server, folder, asJson],
    examples: ['tidemark backup monday', 'tidemark backup /backups/monday --data ./tidemark-data'],
    load: () => import('./commands/backup.ts'),
  },
  {
    name: 'restore',
    arguments: '<backup> <target>',
    summary: 'make a data folder from a backup',
    options: [asJson],
    examples: ['tidemark restore /backups/monday ./tidemark-data'],
    load: () => import('./commands/restore.ts'),
  },
  {
    name: 'check',
    summary: 'prove that log and index agree',
    options: [...server, folder, asJson],
    examples: ['tidemark check', 'tidemark check --data ./tidemark-data'],
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'split',
    arguments: '<container> [range]',
    summary: 'split a range of a container in two',
    options: [
      ...server,
      folder,
      { flags: '--at <HEX>', meaning: 'where the second range begins', fallback: 'the middle' },
      asJson,
    ],
    examples: ['tidemark split shop/orders', 'tidemark split shop/orders 2 --at 1FFF'],
    load: () => import('./commands/split.ts'),
  },
  {
    name: 'merge',
    arguments: '<container> [range] [other]',
    summary: 'merge two neighbouring ranges of a container; without them it says which there are',
    options: [...server, folder, asJson],
    examples: ['tidemark merge shop/orders 1 2'],
    load: () => import('./commands/merge.ts'),
  },
  {
    name: 'lag',
    arguments: '<container>',
    summary: 'how far a group of processors is behind, in changes and seconds; also one of .NET or Azure Functions',
    options: [
      ...group,
      { flags: '--count-max <N>', meaning: 'changes of a range that are counted at most', fallback: '100000' },
      asJson,
    ],
    examples: [
      'tidemark lag shop/orders --leases shop/leases',
      'tidemark lag shop/orders --leases shop/leases --name billing --connection-string-env AZURE_COSMOS --json',
    ],
    load: () => import('./commands/lag.ts'),
  },
  {
    name: 'processor status',
    arguments: '<container>',
    summary: 'who owns which range of a group and what it has parked; exit code 1 when something needs a person',
    options: [...group, deadLetters, asJson],
    examples: [
      'tidemark processor status shop/orders --leases shop/leases',
      'tidemark processor status shop/orders --leases shop/leases --dead-letters shop/dead --json',
    ],
    load: () => import('./commands/processor-status.ts'),
  },
  {
    name: 'processor pause',
    arguments: '<container>',
    summary: 'let every host of a group finish what is in flight and stand still',
    options: [...group, { flags: '--reason <TEXT>', meaning: 'why, for those who look' }, asJson],
    examples: ["tidemark processor pause shop/orders --leases shop/leases --reason 'the warehouse is down'"],
    load: () => import('./commands/processor-pause.ts'),
  },
  {
    name: 'processor resume',
    arguments: '<container>',
    summary: 'let a paused group go on, and halted ranges try again',
    options: [...group, asJson],
    examples: ['tidemark processor resume shop/orders --leases shop/leases'],
    load: () => import('./commands/processor-resume.ts'),
  },
  {
    name: 'processor dead-letters',
    arguments: '<container>',
    summary: 'what a group has parked, and why',
    options: [
      ...group,
      ...letters,
      {
        flags: '--json',
        meaning: 'each dead letter as one line of JSON, with the change itself; nothing where there is none',
      },
    ],
    examples: ['tidemark processor dead-letters shop/orders --leases shop/leases --dead-letters shop/dead'],
    load: () => import('./commands/processor-dead-letters.ts'),
  },
  {
    name: 'processor replay',
    arguments: '<container>',
    summary: 'let the hosts of a group try parked changes again',
    options: [...group, ...letters, asJson],
    examples: [
      'tidemark processor replay shop/orders --leases shop/leases --dead-letters shop/dead',
      "tidemark processor replay shop/orders --leases shop/leases --dead-letters shop/dead --error 'timed out'",
    ],
    load: () => import('./commands/processor-replay.ts'),
  },
  {
    name: 'health',
    summary: 'ask a server whether it can do its work; exit code 1 if not',
    options: [...server, asJson],
    examples: ['tidemark health', 'tidemark health --endpoint http://127.0.0.1:9000 --json'],
    load: () => import('./commands/health.ts'),
  },
  {
    name: 'cert',
    summary: 'print where the certificate of the local authority is, and how to trust it',
    options: [
      { flags: '--data <DIR>', meaning: 'the data folder of the server', fallback: './tidemark-data' },
      { flags: '--port <N>', meaning: 'the port of the server, for the commands that are printed', fallback: '8081' },
      { flags: '--pem', meaning: 'only the certificate itself' },
      asJson,
    ],
    examples: ['tidemark cert', 'tidemark cert --pem > tidemark-ca.pem'],
    load: () => import('./commands/cert.ts'),
  },
  {
    name: 'config show',
    summary: 'print the settings that serve would use, and where each comes from',
    options: [...serveOptions(), configFile, asJson],
    examples: ['tidemark config show', 'TIDEMARK_PORT=9000 tidemark config show --json'],
    load: () => import('./commands/config-show.ts'),
  },
];
