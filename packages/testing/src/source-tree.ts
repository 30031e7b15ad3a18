// The sources of this repository as text, for the tests about the source itself. Everything here is a plain regular
// expression over the text: fast, without a compiler, and wrong only for code that nobody would write on purpose.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SourceFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  /** Folder below packages/, or undefined for files outside of packages. */
  readonly packageName: string | undefined;
  readonly isTest: boolean;
  readonly text: string;
  /** Without comments. */
  readonly code: string;
  /** Without comments and without the contents of quoted strings; templates stay, since they may hold expressions. */
  readonly bare: string;
  readonly imports: readonly string[];
}

export const repositoryRoot: string = fileURLToPath(new URL('../../..', import.meta.url));

const skippedFolders = new Set(['node_modules', 'dist', 'coverage', '.peers']);
const tokens = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
const importPattern =
  /^[ \t]*(?:import|export)\s+(?:[^'"`;()]*?\s+from\s+)?['"]([^'"\n]+)['"]|\bimport\s*\(\s*['"]([^'"\n]+)['"]\s*[,)]/gm;

/** Every TypeScript source below the folders given, in the order of their paths. */
export function readSources(folders: readonly string[]): SourceFile[] {
  return folders
    .flatMap((folder) => listFiles(folder))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => parseSource(path, readText(path)));
}

export function parseSource(path: string, text: string): SourceFile {
  const code = text.replace(tokens, (match, quoted, template) =>
    (quoted ?? template) !== undefined ? match : blank(match),
  );
  const bare = code.replace(tokens, (match, quoted) => (quoted === undefined ? match : "''"));
  return {
    path,
    packageName: /^packages\/([^/]+)\//.exec(path)?.[1],
    isTest: /\.test\.ts$/.test(path) || /^packages\/[^/]+\/test\//.test(path) || !path.startsWith('packages/'),
    text,
    code,
    bare,
    imports: [...code.matchAll(importPattern)].map((match) => match[1] ?? match[2] ?? ''),
  };
}

/** The file an import leads to, or undefined when it leads out of this repository. */
export function resolveImport(from: string, specifier: string): string | undefined {
  const own = /^@tidemark\/([^/]+)$/.exec(specifier);
  if (own !== null) return `packages/${own[1]}/src/index.ts`;
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(dirname(from), specifier);
}

export function readText(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8');
}

export function doesExist(path: string): boolean {
  return existsSync(join(repositoryRoot, path));
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

// Comments become spaces of the same shape, so that offsets and line numbers stay those of the file.
function blank(comment: string): string {
  return comment.replace(/[^\n]/g, ' ');
}

function listFiles(folder: string): string[] {
  if (!doesExist(folder)) return [];
  return readdirSync(join(repositoryRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : listFiles(path);
    return [path];
  });
}
