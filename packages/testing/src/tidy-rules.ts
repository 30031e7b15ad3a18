// The tables behind tidy.test.ts. A rule is changed here, with its reason, and nowhere else.

/** Package → packages whose sources it may import. `*` means all. Tests are free, except that nothing ships with them. */
export const packageArrows: Readonly<Record<string, readonly string[]>> = {
  model: [],
  engine: ['model'],
  processor: ['model'],
  server: ['engine', 'model'],
  cli: ['engine', 'model', 'processor', 'server'],
  testing: ['*'],
};

/**
 * Inside packages: place → places it may import. A place is a folder of src, or a file of src without its ending. A file
 * always may import from its own place. Packages that are not listed have no inner rule yet.
 *
 * The engine reads from top to bottom: what stands higher may know what stands lower, never the other way round.
 */
export const innerArrows: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  engine: {
    'index.ts': ['*'],
    internal: ['*'],
    database: ['container', 'backup', 'check', 'folder', 'range-engine', 'embedded', 'index', 'files', 'ambient'],
    container: ['range-engine', 'feed', 'state', 'write'],
    backup: ['folder', 'embedded', 'log', 'files'],
    check: ['embedded', 'state', 'index', 'log', 'files'],
    folder: ['log', 'files'],
    embedded: ['range-engine', 'feed', 'state', 'write', 'index', 'log', 'files'],
    feed: ['range-engine', 'state', 'write', 'index', 'log'],
    state: ['range-engine', 'write', 'index', 'log'],
    'range-engine': ['write'],
    write: ['log'],
    index: ['log', 'files'],
    log: ['files'],
    files: [],
    ambient: [],
  },
  server: {
    'index.ts': ['*'],
    server: [
      'pipeline',
      'cors',
      'endpoint',
      'identity',
      'keys',
      'listener',
      'log',
      'resource-token',
      'unsent',
      'version',
      'waiting-room',
    ],
    listener: ['connection', 'open-files', 'refusal'],
    'open-files': [],
    connection: ['refusal'],
    refusal: [],
    identity: ['certificate-store', 'listener'],
    'certificate-store': ['certificate'],
    certificate: ['der'],
    der: [],
    pipeline: [
      'admin',
      'cors',
      'faults',
      'request',
      'authorize',
      'grant',
      'intended-container',
      'keys',
      'resource-token',
      'route',
      'handler',
      'response',
      'listener',
      'log',
      'metrics',
      'observer',
      'outbox',
      'exchange',
      'session',
      'throttle',
      'unsent',
      'waiting-room',
    ],
    'waiting-room': ['histogram', 'metric-definitions', 'timer-wheel'],
    'timer-wheel': [],
    outbox: [],
    cors: ['header-list'],
    'header-list': [],
    'http-date': [],
    'event-source': [],
    'feed-page': [],
    'change-stream': ['feed-page', 'throttle', 'unsent', 'waiting-room'],
    unsent: [],
    admin: ['faults', 'log', 'metrics', 'exposition', 'authorize', 'response', 'request', 'status', 'version'],
    authorize: ['authorization-header', 'grant', 'keys'],
    'resource-token': ['authorization-header', 'grant', 'permission'],
    grant: ['feed-scope', 'partition-key', 'resources', 'request'],
    permission: ['resources'],
    'intended-container': ['resources', 'request'],
    keys: ['grant'],
    'authorization-header': [],
    route: ['handlers', 'event-source', 'handler', 'request'],
    handlers: [
      'handler',
      'endpoint',
      'batch-body',
      'document-command',
      'document-pages',
      'change-stream',
      'feed-page',
      'feed-request',
      'feed-scope',
      'grant',
      'header-list',
      'offer',
      'page-body',
      'partition-key',
      'permission',
      'recognised-query',
      'resource-page',
      'response',
      'resources',
      'request',
      'session',
      'throttle',
    ],
    handler: ['grant', 'resource-token', 'response', 'request', 'throttle', 'unsent', 'waiting-room'],
    endpoint: ['request'],
    'batch-body': [],
    'document-command': ['resources', 'status'],
    'document-pages': ['feed-scope', 'partition-key', 'resources', 'request', 'session'],
    'recognised-query': [],
    'feed-request': ['feed-scope', 'partition-key', 'resources', 'request', 'session'],
    'feed-scope': ['resources', 'request'],
    offer: ['request'],
    'resource-page': ['header-list', 'request'],
    session: ['resources', 'request'],
    throttle: ['feed-scope', 'offer', 'partition-key', 'resources', 'request', 'response', 'token-bucket'],
    'token-bucket': [],
    'page-body': [],
    'partition-key': ['resources', 'request'],
    response: ['document-pages', 'header-list', 'http-date', 'page-body', 'resources', 'request', 'status'],
    resources: [],
    request: ['event-source'],
    status: [],
    version: [],
    faults: ['header-list', 'response', 'seeded-chance'],
    'seeded-chance': [],
    observer: ['log', 'request-tally', 'exchange', 'response'],
    log: ['exchange', 'header-list', 'response'],
    exchange: [],
    metrics: ['request-tally', 'exposition', 'listener', 'version', 'waiting-room'],
    'request-tally': ['exposition', 'histogram', 'metric-definitions'],
    exposition: ['histogram', 'metric-definitions'],
    histogram: [],
    'metric-definitions': [],
  },
  processor: {
    'index.ts': ['*'],
    testing: ['*'],
    simulation: ['*'],
    seeds: ['*'],
    processor: ['options', 'settings', 'connect', 'host', 'pump', 'lease', 'feed', 'store', 'ambient'],
    connect: ['client', 'feed', 'store', 'ambient'],
    lag: ['lease', 'feed', 'store'],
    options: ['option-table', 'telemetry', 'settings', 'connect', 'pump', 'feed', 'store'],
    'option-table': [],
    telemetry: [],
    'event-meanings': [],
    host: ['settings', 'pump', 'lease', 'feed', 'store'],
    pump: ['settings', 'feed', 'store'],
    settings: ['feed'],
    lease: ['settings', 'feed', 'store'],
    feed: ['client'],
    store: ['client'],
    client: ['ambient'],
    ambient: [],
  },
  cli: {
    main: ['program', 'terminal'],
    program: ['command-table', 'advice', 'nearest', 'swallowed-flags', 'terminal'],
    advice: [],
    'command-table': ['commands', 'call', 'settings'],
    commands: ['*'],
    follow: [],
    'feed-position': [],
    'change-line': ['terminal'],
    'import-run': ['import-source', 'lanes', 'lines', 'watermark', 'state-file', 'progress', 'terminal'],
    'import-source': ['lines', 'terminal'],
    lanes: [],
    watermark: ['lines'],
    lines: [],
    'state-file': [],
    connect: ['call'],
    jobs: ['progress', 'terminal'],
    'open-folder': ['call', 'terminal'],
    welcome: [],
    'start-failure': ['settings'],
    'first-checks': [],
    'swallowed-flags': [],
    keys: [],
    config: ['settings', 'nearest'],
    settings: [],
    call: [],
    progress: [],
    nearest: [],
    terminal: [],
  },
};

/** Folders whose files never import each other. */
export const siblingFreeFolders: readonly string[] = [
  'packages/server/src/handlers/',
  'packages/server/src/admin/handlers/',
  'packages/cli/src/commands/',
];

/** Places that every other place of their package may import; they import nothing but each other. */
export const groundPlaces: Readonly<Record<string, readonly string[]>> = {
  engine: ['environment', 'limits', 'long-work', 'container-definition', 'named-resource'],
  server: ['limits', 'charge'],
  processor: ['environment', 'limits', 'observer', 'events', 'processor-error', 'failure-policy', 'bounded'],
  cli: ['usage-error', 'limits', 'loopback', 'tls-folder'],
};

/** What the packages below must be given instead of taking: time, chance, waiting, the process. */
export const ambientFreePackages: readonly string[] = ['model', 'engine', 'processor'];

export const ambientCalls: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'Date.now', pattern: /\bDate\s*\.\s*now\b/ },
  { name: 'new Date()', pattern: /\bnew\s+Date\s*(?:\(\s*\)|[;,)\]])/ },
  { name: 'performance.now', pattern: /\bperformance\s*\.\s*now\b/ },
  { name: 'Math.random', pattern: /\bMath\s*\.\s*random\b/ },
  { name: 'crypto randomness', pattern: /\b(?:randomUUID|randomBytes|randomFillSync|getRandomValues)\b/ },
  { name: 'setTimeout', pattern: /(?<![\w$.#])(?:globalThis\s*\.\s*)?setTimeout\b/ },
  { name: 'setInterval', pattern: /(?<![\w$.#])(?:globalThis\s*\.\s*)?setInterval\b/ },
  { name: 'setImmediate', pattern: /(?<![\w$.#])(?:globalThis\s*\.\s*)?setImmediate\b/ },
  { name: 'process', pattern: /(?<![\w$.#])(?:globalThis\s*\.\s*)?process\s*\./ },
  { name: 'console', pattern: /(?<![\w$.#])(?:globalThis\s*\.\s*)?console\s*\./ },
];

export const ambientModules: readonly string[] = ['node:timers', 'node:timers/promises', 'node:process', 'process'];

/** Files, or folders ending in `/`, that may use ambient calls, each with its reason. */
export const ambientExemptions: Readonly<Record<string, string>> = {
  'packages/engine/src/ambient.ts': 'the one home of the real clock, real randomness and real waiting',
  'packages/processor/src/ambient.ts': 'the same for the client',
  'packages/processor/src/simulation/settle.ts':
    'the end of a moment of virtual time is an empty queue of promises, which only the process can tell',
  'packages/engine/src/files/': 'the real file system is reached here, below its seam',
};

/** The one home of wire header names. */
export const wireLiteralHome = 'packages/model/src/headers.ts';

export const linesMax = 600;
/** A file that is one long table carries this line. */
export const tableMarker = '// tidy: table';

/** ARCHITECTURE.md walks through the sources: a document through the engine, a request through the server. */
export const walksOwed = 2;
export const walkStepsMin = 5;
