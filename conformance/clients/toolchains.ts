// What runs the programs of other languages: the tools of this machine, and the packages that they fetch as they are configured here.
// What is installed and built goes to the cache; where something is missing, it is said in a line.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../old-client.ts';
import type { Language } from './checks.ts';

/** A program that can be run, without what it is given. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Where the certificate of the server is, and a folder for what is made of it. */
export interface Trust {
  readonly authority: string;
  readonly folder: string;
}

export type Prepared = { readonly missing: string } | ((trust: Trust) => Promise<Program>);

/** The programs are written in it. */
const javaRelease = '17';

const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/tidemark/clients/', import.meta.url));

export function prepare(language: Language): Promise<Prepared> {
  switch (language) {
    case 'python':
      return preparePython();
    case 'go':
      return prepareGo();
    case 'java':
      return prepareJava();
  }
}

async function preparePython(): Promise<Prepared> {
  const source = sourceOf('python');
  const target = join(cacheFolder, 'python');
  const python = join(target, 'bin', 'python');
  const missing = await unlessDone(target, [join(source, 'requirements.txt')], async () => {
    const made = await step('python3', ['-m', 'venv', target]);
    return made ?? step(python, ['-m', 'pip', 'install', '--quiet', '-r', join(source, 'requirements.txt')]);
  });
  if (missing !== undefined) return { missing };
  return async ({ authority }) => ({
    command: python,
    args: [join(source, 'program.py')],
    // The one of requests, the other of everything else.
    env: { REQUESTS_CA_BUNDLE: authority, SSL_CERT_FILE: authority },
  });
}

async function prepareGo(): Promise<Prepared> {
  const source = sourceOf('go');
  const client = join(cacheFolder, 'go', 'client');
  const missing = await step('go', ['mod', 'download', '-C', source]);
  if (missing !== undefined) return { missing };
  // The tool has a cache of its own.
  await build('go', ['build', '-C', source, '-mod=readonly', '-o', client, '.']);
  return async ({ authority }) => ({ command: client, args: [], env: { SSL_CERT_FILE: authority } });
}

async function prepareJava(): Promise<Prepared> {
  const source = sourceOf('java');
  const target = join(cacheFolder, 'java');
  const classPathFile = join(target, 'class-path');
  const classes = join(target, 'classes');
  const folder = join(source, 'src', 'main', 'java');
  const programs = readdirSync(folder).map((name) => join(folder, name));
  const project = join(source, 'pom.xml');
  // It says its own version, and fails where that is an older one.
  const lacking = await step('javac', ['--release', javaRelease, '-version']);
  if (lacking !== undefined) return { missing: lacking };
  const missing = await unlessDone(target, [project, ...programs], async () => {
    const wanted = [`-Dmdep.outputFile=${classPathFile}`, 'dependency:build-classpath'];
    const unfetched = await step('mvn', ['--quiet', '--batch-mode', '--file', project, ...wanted]);
    if (unfetched !== undefined) return unfetched;
    const classPath = readFileSync(classPathFile, 'utf8').trim();
    await build('javac', ['--release', javaRelease, '-cp', classPath, '-d', classes, ...programs]);
    return undefined;
  });
  if (missing !== undefined) return { missing };
  const classPath = [classes, readFileSync(classPathFile, 'utf8').trim()].join(delimiter);
  return async (trust) => {
    const { store, password } = await trustStore(trust);
    const trusting = [`-Djavax.net.ssl.trustStore=${store}`, `-Djavax.net.ssl.trustStorePassword=${password}`];
    return { command: 'java', args: [...trusting, '-cp', classPath, 'Program'], env: {} };
  };
}

/** Java takes what it trusts from a store of its own form. */
async function trustStore({ authority, folder }: Trust): Promise<{ store: string; password: string }> {
  const store = join(folder, 'trusted.p12');
  const password = 'changeit';
  const into = ['-storetype', 'PKCS12', '-keystore', store, '-storepass', password];
  await build('keytool', ['-importcert', '-noprompt', ...into, '-alias', 'tidemark', '-file', authority]);
  return { store, password };
}

function sourceOf(language: Language): string {
  return fileURLToPath(new URL(`${language}/`, import.meta.url));
}

/** Does what is to be done for these files, unless it has been done. What it answers is why it cannot be done. */
async function unlessDone(
  target: string,
  files: readonly string[],
  make: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const stamp = join(target, '.stamp');
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  const wanted = hash.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return undefined;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const missing = await make();
  if (missing === undefined) writeFileSync(stamp, wanted);
  return missing;
}

/** Why it could not be done, in a line; undefined when it was. */
async function step(command: string, args: readonly string[]): Promise<string | undefined> {
  const said = await failureOf(command, args);
  return said?.trim().split('\n').slice(-3).join(' ');
}

/** What fails here is a mistake of ours, and nothing that this machine has not. */
async function build(command: string, args: readonly string[]): Promise<void> {
  const said = await failureOf(command, args);
  if (said !== undefined) throw new Error(said);
}

async function failureOf(command: string, args: readonly string[]): Promise<string | undefined> {
  mkdirSync(cacheFolder, { recursive: true });
  try {
    const { code, out, err } = await run(command, args);
    return code === 0 ? undefined : `${out}\n${err}\n${command} ${args[0]} ended with ${code}`;
  } catch (error) {
    // The runtime: nothing else fails here than the start of a process.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return `there is no ${command} here`;
  }
}
