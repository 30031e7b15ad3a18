// What works with which client, from the results of the tests: a page with numbers, and a short table for
// README. It holds nothing that differs between two runs of the same sources.

/** Told by the end of the test file's name; a title that names another client counts more. */
const clients = [
  {
    key: 'sdk4',
    name: '@azure/cosmos',
    dependency: '@azure/cosmos',
    file: /\.sdk\.test\.ts$/,
    title: /the SDK|the official|@azure\/cosmos/,
  },
  {
    key: 'sdk3',
    name: '@azure/cosmos',
    dependency: 'azure-cosmos-3',
    file: /sdk-3\.old\.test\.ts$/,
    title: /azure-cosmos-3/,
  },
  { key: 'documentdb', name: 'documentdb', dependency: 'documentdb', file: /documentdb\.old\.test\.ts$/ },
  { key: 'http', name: 'plain HTTP', file: /\.raw\.test\.ts$/, title: /by plain requests/ },
  { key: 'curl', name: 'curl', file: /curl\.old\.test\.ts$/, title: /^curl / },
  // Outside of conformance/: the tests beside the code, and the simulations.
  { key: 'packages', name: 'in the packages' },
];

const missionIds = 'M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12 M14 M16 M18 M20 B1 B2 B8 B9 B11'.split(' ');
const chapters = Array.from({ length: 15 }, (_, i) => `wire ${i + 1}`);
const absentPattern = /^\[absent\] (.+): (\d{3})$/;

/** Of one test: the client that it shows something of. */
function clientOf(path, title) {
  // Hosts in processes show something of the processor, not of a client.
  if (!path.startsWith('conformance/') || path.startsWith('conformance/processor/')) return 'packages';
  const named = clients.find((client) => client.title?.test(title));
  const found = named ?? clients.find(({ file }) => file?.test(path));
  if (found === undefined) throw new Error(`${path}: no client is told by the end of this name`);
  return found.key;
}

/**
 * @param tests the tests that passed: { path, title, ids }
 * @param titles id → what it means
 * @param versions name of a dependency → its exact version
 */
export function compatibility(tests, titles, versions) {
  const counts = countTests(tests);
  const names = clients.map(({ name, dependency }) =>
    dependency === undefined ? name : `${name} ${plain(versions[dependency])}`,
  );
  const pitfalls = [...titles.keys()].filter((id) => id.startsWith('wire 17.'));
  const row = (id) => [
    id.replace('wire ', '§'),
    titles.get(id) ?? '',
    ...clients.map(({ key }) => counts.get(id)?.[key] ?? '–'),
  ];
  const rows = (ids) => table(['', 'what', ...names], ids.map(row));
  const absent = tests.map(({ title }) => absentPattern.exec(title)).filter((match) => match !== null);
  const marks = missionIds.map((id) => [
    id,
    (titles.get(id) ?? '').split(/[:;]/)[0],
    ...clients.map(({ key }) => ((counts.get(id)?.[key] ?? 0) > 0 ? '✓' : '–')),
  ]);
  return {
    page: [
      '# What works with which client',
      '',
      'Written by `npm test` from its results. A number counts the tests of that client in `conformance/` that pass: a real server, real',
      'sockets, a real disk; in the packages are the tests beside the code and the simulations. – means that no test of that client shows',
      'it, not that it does not work. Programs in Java, Python and Go are in the proof (`other-clients`), not in this table.',
      '',
      '## What it is for',
      '',
      rows(missionIds),
      '',
      '## The protocol, chapter by chapter',
      '',
      rows(chapters),
      '',
      'A chapter counts its sections. Which tests they are says `node_modules/.cache/tidemark/coverage.md`, which `npm test` writes.',
      '',
      '## What clients are known to fall into',
      '',
      rows(pitfalls),
      '',
      '## What is not there',
      '',
      'Each of these is asked for by a test and refused in words that name it.',
      '',
      table(
        ['what', 'answered with'],
        absent.map(([, what, status]) => [what, status]),
      ),
      '',
      'There is one region, which takes reads and writes; the account names no other, and there is no failover. Indexes of vectors and of full text are',
      'kept as they came, and no query uses them. Queries are [the language](query.md), with a list of',
      '[what differs from the service](query.md#what-differs-from-the-service).',
      '',
    ].join('\n'),
    readme: table(['', 'what', ...names], marks),
  };
}

/** id → client → tests. A test of `wire 11.2` counts for `wire 11` as well, once. */
function countTests(tests) {
  const counts = new Map();
  for (const { path, title, ids } of tests) {
    const client = clientOf(path, title);
    const all = new Set(ids.flatMap((id) => [id, id.replace(/^(wire \d+)\..*$/, '$1')]));
    for (const id of all) {
      const entry = counts.get(id) ?? {};
      entry[client] = (entry[client] ?? 0) + 1;
      counts.set(id, entry);
    }
  }
  return counts;
}

function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}

/** `npm:@azure/cosmos@3.17.3` → `3.17.3`. */
function plain(version) {
  return version.slice(version.lastIndexOf('@') + 1);
}
