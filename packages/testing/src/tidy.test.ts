// Tests about the source itself: the rules of STYLE.md that a machine can check. The tables are in tidy-rules.ts.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SourceFile } from './source-tree.ts';
import { doesExist, lineOf, parseSource, readSources, readText, repositoryRoot, resolveImport } from './source-tree.ts';
import {
  ambientCalls,
  ambientExemptions,
  ambientFreePackages,
  ambientModules,
  groundPlaces,
  innerArrows,
  linesMax,
  packageArrows,
  siblingFreeFolders,
  tableMarker,
  walkStepsMin,
  walksOwed,
  wireLiteralHome,
} from './tidy-rules.ts';

const sources = readSources(['packages', 'simulation', 'conformance', 'reliability', 'bench', 'examples', 'scripts']);
const packageSources = sources.filter((source) => source.packageName !== undefined);
const shipped = packageSources.filter((source) => !source.isTest);
// These files spell out what they forbid.
const ownRules = new Set(['packages/testing/src/tidy.test.ts', 'packages/testing/src/tidy-rules.ts']);

describe('imports', () => {
  test('packages import only along the arrows', () => {
    expect(shipped.flatMap(packageArrowViolations)).toEqual([]);
  });

  test('folders inside a package import only along the arrows', () => {
    expect(shipped.flatMap(innerArrowViolations)).toEqual([]);
  });

  test('the arrows inside a package never form a circle', () => {
    for (const [name, arrows] of Object.entries(innerArrows)) expect(findCircle(arrows), name).toBeUndefined();
  });

  test('handlers know nothing of each other', () => {
    const violations = siblingFreeFolders.flatMap((folder) =>
      shipped
        .filter((source) => source.path.startsWith(folder))
        .filter((source) => targetsOf(source).some((target) => target.startsWith(folder)))
        .map((source) => `${source.path} imports a sibling: what both need belongs outside of ${folder}`),
    );
    expect(violations).toEqual([]);
  });

  test('no file imports the index of its own package', () => {
    const violations = packageSources
      .filter((source) => source.path !== `packages/${source.packageName}/src/index.test.ts`)
      .filter((source) => targetsOf(source).includes(`packages/${source.packageName}/src/index.ts`))
      .map((source) => `${source.path} imports its own package's index.ts: import the file that defines the thing`);
    expect(violations).toEqual([]);
  });
});

describe('files', () => {
  test('only the root of a package has an index.ts', () => {
    const violations = packageSources
      .map((source) => source.path)
      .filter((path) => path.endsWith('/index.ts') && !/^packages\/[^/]+\/src\/index\.ts$/.test(path));
    expect(violations).toEqual([]);
  });

  test('exports are named, one by one', () => {
    const violations = [
      ...find(sources, 'bare', /\bexport\s+default\b|\bas\s+default\b/, 'default exports are not used'),
      ...find(sources, 'bare', /\bexport\s*\*/, 'name what is exported instead of export *'),
    ];
    expect(violations).toEqual([]);
  });

  test(`no file is longer than ${linesMax} lines, unless it is a table`, () => {
    const violations = sources
      .filter((source) => !source.text.includes(`\n${tableMarker}`) && !source.text.startsWith(tableMarker))
      .map((source) => ({ path: source.path, lines: source.text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > linesMax)
      .map(({ path, lines }) => `${path} has ${lines} lines: split it, or mark a table with ${tableMarker}`);
    expect(violations).toEqual([]);
  });

  test('a TODO names its issue', () => {
    const pattern = /(?:\/\/|\/\*|^[ \t]*\*)[^\n]*\b(?:TODO|FIXME)\b(?![^\n]*#\d+)/m;
    const scanned = sources.filter((source) => !ownRules.has(source.path));
    expect(find(scanned, 'text', pattern, 'write TODO(#12): the issue says when it ends')).toEqual([]);
  });
});

describe('seams', () => {
  test('time, chance and the process come in by parameter', () => {
    const scanned = shipped.filter(
      (source) => ambientFreePackages.includes(source.packageName ?? '') && !isAmbientExempt(source.path),
    );
    const calls = ambientCalls.flatMap(({ name, pattern }) =>
      find(scanned, 'bare', pattern, `${name} is ambient: take it as a parameter`),
    );
    const modules = scanned.flatMap((source) =>
      source.imports
        .filter((specifier) => ambientModules.includes(specifier))
        .map((specifier) => `${source.path} imports ${specifier}: take it as a parameter`),
    );
    expect([...calls, ...modules]).toEqual([]);
  });

  test('header names of the wire stand in one file', () => {
    const scanned = shipped.filter((source) => source.path !== wireLiteralHome && source.packageName !== 'testing');
    expect(find(scanned, 'code', /x-ms-/i, `header names belong in ${wireLiteralHome}`)).toEqual([]);
  });
});

describe('documents', () => {
  const manifests = ['.', ...readdirSync(join(repositoryRoot, 'packages')).map((name) => `packages/${name}`)]
    .filter((folder) => doesExist(`${folder}/package.json`))
    .map((folder) => ({ folder, manifest: readManifest(`${folder}/package.json`) }));
  // What a bench, a check and the proof bring for themselves, with lock files of their own.
  const apart = ['bench/peers/manifest', 'scripts/consumers/jest/manifest', 'scripts/node-versions/manifest'].map(
    (folder) => ({
      folder,
      manifest: readManifest(`${folder}/package.json`),
    }),
  );

  test('[SEC20] DEPENDENCIES.md lists every dependency at its exact version', () => {
    const document = readText('DEPENDENCIES.md');
    const wanted = [...manifests, ...apart].flatMap(({ folder, manifest }) =>
      Object.entries(thirdPartyOf(manifest)).map(([name, version]) => ({ folder, name, version })),
    );
    const missing = wanted
      .filter(({ name, version }) => !document.includes(`| ${name} | ${version} |`))
      .map(
        ({ folder, name, version }) => `${folder} uses ${name} ${version}: add the row \`| ${name} | ${version} | …\``,
      );
    const listed = [...document.matchAll(/^\| (\S+) \| (\d\S*) \|/gm)].map((match) => `${match[1]} ${match[2]}`);
    const stale = listed.filter((row) => !wanted.some(({ name, version }) => row === `${name} ${version}`));

    expect(missing).toEqual([]);
    expect(stale.map((row) => `DEPENDENCIES.md lists ${row}, which nothing uses`)).toEqual([]);
  });

  test('[SEC20] the lock file agrees with the manifests and names no registry', () => {
    const lock: { packages: Record<string, Manifest> } = JSON.parse(readText('package-lock.json'));
    for (const { folder, manifest } of manifests) {
      const locked = lock.packages[folder === '.' ? '' : folder];
      expect(locked?.dependencies ?? {}, `${folder}: run npm install`).toEqual(manifest.dependencies ?? {});
      expect(locked?.devDependencies ?? {}, `${folder}: run npm install`).toEqual(manifest.devDependencies ?? {});
    }
    expect(readText('package-lock.json')).not.toMatch(/"resolved": "https?:/);
  });

  test('all packages have one version: the command carries the others inside and shows its own', () => {
    expect(new Set(manifests.map(({ manifest }) => manifest.version)).size).toBe(1);
  });

  test.each(apart)('so does the lock file of $folder', ({ folder, manifest }) => {
    const text = readText(`${folder}/package-lock.json`);
    const lock: { packages: Record<string, Manifest> } = JSON.parse(text);
    expect(lock.packages['']?.dependencies).toEqual(manifest.dependencies);
    expect(text).not.toMatch(/"resolved": "https?:/);
  });

  test('the walks of ARCHITECTURE.md exist and follow the imports', () => {
    const walks = readWalks(readText('ARCHITECTURE.md'));
    expect(walks).toHaveLength(walksOwed);
    for (const steps of walks) expect(steps.length, 'steps of a walk').toBeGreaterThanOrEqual(walkStepsMin);
    expect(walks.flatMap(walkViolations)).toEqual([]);
  });
});

describe('the scanner', () => {
  test('sees imports of every form, and none in comments or strings', () => {
    const text = [
      "import { a } from './a.ts';",
      "import type { B } from './b.ts';",
      "import './c.ts';",
      "export { d } from './d.ts';",
      "const e = await import('./e.ts');",
      'import {\n  f,\n} from "./f.ts";',
      "// import { x } from './x.ts';",
      "/* import './y.ts' */",
    ].join('\n');

    const { imports } = parseSource('packages/model/src/z.ts', text);

    expect(imports).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts', './f.ts']);
  });

  test('finds ambient calls, and takes neither methods nor words for them', () => {
    const hits = (text: string): string[] =>
      ambientCalls.filter(({ pattern }) => pattern.test(parseSource('x.ts', text).bare)).map(({ name }) => name);

    expect(hits('const t = Date.now();')).toEqual(['Date.now']);
    expect(hits('const t = new Date();')).toEqual(['new Date()']);
    expect(hits('globalThis.setTimeout(f, 1)')).toEqual(['setTimeout']);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text scanned is a template.
    expect(hits('const s = `${process.pid}`;')).toEqual(['process']);
    expect(hits("new Date(nowMs); clock.setTimeout(f); subprocess.kill(); say('console.log'); // Math.random")).toEqual(
      [],
    );
  });

  test('reads the walk row by row, and reports what does not follow', () => {
    const from = 'packages/testing/src/tidy.test.ts';
    const to = 'packages/testing/src/source-tree.ts';
    const walk = (rows: readonly string[]) =>
      readWalks(['<!-- walk -->', ...rows, '<!-- /walk -->'].join('\n'))[0] as WalkStep[]; // There is one.

    expect(walkViolations(walk([`| 1 | \`${from}\` | x |`, `| 2 | \`${to}\` | y |`]))).toEqual([]);
    expect(walkViolations(walk([`| 1 | \`${to}\` | x |`, `| 2 | \`${from}\` (callback) | y |`]))).toEqual([]);
    expect(walkViolations(walk([`| 1 | \`${to}\` | x |`, `| 2 | \`${from}\` | y |`]))).toHaveLength(1);
    expect(walkViolations(walk(['| 1 | `packages/none.ts` | x |']))).toHaveLength(1);
    expect(readWalks('no markers')).toEqual([]);
  });
});

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}

interface WalkStep {
  readonly row: string;
  readonly path: string;
  /** Reached through a callback: the step before does not import it. */
  readonly isCallback: boolean;
}

function packageArrowViolations(source: SourceFile): string[] {
  const own = source.packageName ?? '';
  const allowed = packageArrows[own];
  if (allowed === undefined) return [`${source.path}: add ${own} to packageArrows in tidy-rules.ts`];
  return source.imports.flatMap((specifier) => {
    const target = /^packages\/([^/]+)\//.exec(resolveImport(source.path, specifier) ?? '')?.[1];
    if (target === undefined || target === own) return [];
    if (specifier.startsWith('.')) return [`${source.path} imports ${specifier}: name the package @tidemark/${target}`];
    if (allowed.includes('*') || allowed.includes(target)) return [];
    return [`${source.path} imports ${specifier}: ${own} may import ${allowed.join(', ') || 'no package'}`];
  });
}

function innerArrowViolations(source: SourceFile): string[] {
  const own = source.packageName ?? '';
  const arrows = innerArrows[own];
  if (arrows === undefined) return [];
  const ground = groundPlaces[own] ?? [];
  const place = placeOf(source.path);
  const allowed = ground.includes(place) ? [] : arrows[place];
  if (allowed === undefined) return [`${source.path}: add ${place} to innerArrows.${own} in tidy-rules.ts`];
  return targetsOf(source).flatMap((target) => {
    if (!target.startsWith(`packages/${own}/src/`)) return [];
    const targetPlace = placeOf(target);
    if (targetPlace === place || ground.includes(targetPlace)) return [];
    if (allowed.includes('*') || allowed.includes(targetPlace)) return [];
    return [`${source.path} imports ${target}: ${place} may import ${allowed.join(', ') || 'nothing'}`];
  });
}

/** A folder of src, or a file of src without its ending. The folder index/ and the file index.ts are told apart. */
function placeOf(path: string): string {
  const [first = '', ...rest] = path.split('/').slice(3);
  if (rest.length === 0 && first === 'index.ts') return 'index.ts';
  return first.replace(/\.ts$/, '');
}

function findCircle(arrows: Readonly<Record<string, readonly string[]>>): string | undefined {
  const done = new Set<string>();
  const visit = (place: string, path: readonly string[]): string | undefined => {
    if (path.includes(place)) return [...path.slice(path.indexOf(place)), place].join(' → ');
    if (done.has(place)) return undefined;
    for (const next of arrows[place] ?? []) {
      const circle = visit(next, [...path, place]);
      if (circle !== undefined) return circle;
    }
    done.add(place);
    return undefined;
  };
  for (const place of Object.keys(arrows)) {
    const circle = visit(place, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

function find(
  scanned: readonly SourceFile[],
  part: 'text' | 'code' | 'bare',
  pattern: RegExp,
  advice: string,
): string[] {
  const everywhere = new RegExp(pattern.source, `${pattern.flags}g`);
  return scanned.flatMap((source) =>
    [...source[part].matchAll(everywhere)].map(
      (match) => `${source.path}:${lineOf(source[part], match.index)} ${advice}`,
    ),
  );
}

function isAmbientExempt(path: string): boolean {
  return Object.keys(ambientExemptions).some((entry) =>
    entry.endsWith('/') ? path.startsWith(entry) : path === entry,
  );
}

function targetsOf(source: SourceFile): string[] {
  return source.imports.flatMap((specifier) => resolveImport(source.path, specifier) ?? []);
}

function readManifest(path: string): Manifest {
  return JSON.parse(readText(path));
}

function thirdPartyOf(manifest: Manifest): Record<string, string> {
  const all = {
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies,
    ...manifest.devDependencies,
    ...manifest.dependencies,
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith('@tidemark/')));
}

/** Rows look like `| 3 | [packages/…/x.ts](packages/…/x.ts) (callback) | … |`; a row may name several files in order. */
function readWalks(document: string): WalkStep[][] {
  const walks = document.matchAll(/<!-- walk -->([\s\S]*?)<!-- \/walk -->/g);
  return [...walks].map(([, rows = '']) =>
    [...rows.matchAll(/^\|\s*(\d+)\s*\|([^|]*)\|/gm)].flatMap((match) => {
      const cell = match[2] ?? '';
      const paths = [...new Set([...cell.matchAll(/packages\/[\w./-]+\.ts/g)].map((found) => found[0]))];
      if (paths.length === 0) throw new Error(`row ${match[1]} of the walk names no file`);
      return paths.map((path, i) => ({
        row: match[1] ?? '',
        path,
        isCallback: i === 0 && cell.includes('(callback)'),
      }));
    }),
  );
}

function walkViolations(steps: readonly WalkStep[]): string[] {
  const bySource = new Map(sources.map((source) => [source.path, targetsOf(source)]));
  return steps.flatMap((step, i) => {
    if (!doesExist(step.path)) return [`row ${step.row} names ${step.path}, which does not exist`];
    const before = steps[i - 1];
    if (before === undefined || step.isCallback || before.path === step.path) return [];
    const direct = bySource.get(before.path) ?? [];
    const within2 = [...direct, ...direct.flatMap((target) => bySource.get(target) ?? [])];
    if (within2.includes(step.path)) return [];
    return [
      `row ${step.row}: ${before.path} imports ${step.path} neither directly nor through one file; ` +
        'put the rows in the order of the imports, or mark the row (callback)',
    ];
  });
}
