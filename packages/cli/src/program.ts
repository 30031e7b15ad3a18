// The command line, made of the table. A mistake in it is told in a sentence, with exit code 2.

import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import type { Call } from './call.ts';
import type { CommandSpec, OptionSpec } from './command-table.ts';
import { commands } from './command-table.ts';
import { wordsOf } from './error-words.ts';
import { suggestion } from './nearest.ts';
import { ownCommand } from './own-command.ts';
import { packageFolder } from './package-folder.ts';
import { checkSwallowedFlags } from './swallowed-flags.ts';
import { say } from './terminal.ts';
import { KeyWantedError, UsageError } from './usage-error.ts';

const rootNotes = `
Begin with tidemark serve, which starts a server; flags without a command are its own.
Exit codes: 0 done; 1 failed, or what is named is not there; 2 the command line or the configuration is wrong.
Keys come from the environment (TIDEMARK_KEY) or from a key file, never from the command line.
docs/reference/cli.md has every command and every flag.`;

/** The exit code, once the command has ended. */
export async function runProgram(args: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command('tidemark')
    .description('Tidemark: a document database whose centre is its change feed.')
    .version(ownVersion(), '-v, --version', 'print the version')
    .addHelpText('after', rootNotes);
  prepare(program);
  for (const spec of commands) {
    const command = commandOf(program, spec);
    command.action(async (...given: unknown[]) => {
      // commander gives the arguments, the options and the command itself.
      const call = callOf(command.args, given.at(-2) as Record<string, OptionValue>);
      const { run } = await spec.load();
      try {
        exitCode = await run(call);
      } catch (error) {
        throw spec.name === 'serve' ? error : await withNames(error, call);
      }
    });
  }
  try {
    checkSwallowedFlags(
      process.env,
      commands.flatMap(({ options }) => options.map(({ flags }) => flags)),
    );
    checkName(args);
    if (args.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    return await explain(error, args);
  }
}

type OptionValue = string | boolean | readonly string[] | undefined;

function callOf(args: readonly string[], values: Readonly<Record<string, OptionValue>>): Call {
  const options: Record<string, string | boolean | undefined> = {};
  const lists: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'object') lists[name] = value;
    else options[name] = value;
  }
  return { arguments: args, options, lists };
}

function commandOf(program: Command, spec: CommandSpec): Command {
  const [first = '', second] = spec.name.split(' ');
  const parent = second === undefined ? program : groupOf(program, first);
  const command = parent.command(second ?? first, { isDefault: spec.name === 'serve' }).description(spec.summary);
  for (const argument of (spec.arguments ?? '').split(' ')) if (argument !== '') command.argument(argument);
  for (const option of spec.options) {
    if (option.isRepeatable === true) command.option(option.flags, meaningOf(option), appended);
    else command.option(option.flags, meaningOf(option));
  }
  const examples = spec.examples.map((example) => `  ${example}`).join('\n');
  return prepare(command).addHelpText('after', `\nExamples:\n${examples}`);
}

function appended(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function groupOf(program: Command, name: string): Command {
  const found = program.commands.find((each) => each.name() === name);
  if (found !== undefined) return found;
  const inside = commands
    .filter((each) => each.name.startsWith(`${name} `))
    .map((each) => each.name.slice(name.length + 1));
  return prepare(program.command(name).summary(`${inside.join(', ')}: see tidemark ${name} --help`));
}

/** The inherited settings of commander are copied only to commands that are made later, so each is told itself. */
function prepare(command: Command): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError(true)
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'print this text')
    .configureOutput({
      outputError: (text, write) => {
        const { told, advice } = advised(command, text.replace(/^error: /, '').trimEnd());
        write(`tidemark: ${told}${advice}\nSee --help.\n`);
      },
    });
}

/** What commander says of a mistake, and what it cannot know. */
function advised(command: Command, text: string): { told: string; advice: string } {
  if (text.includes("option '--key'")) {
    return { told: text, advice: '\nKeys come from TIDEMARK_KEY or from --key-file.' };
  }
  if (text.includes("too many arguments for 'query'")) {
    return {
      told: text,
      advice: "\nThe query is one argument, in quotes: query DATABASE/CONTAINER 'SELECT * FROM c'.",
    };
  }
  if (text.includes("missing required argument 'container'")) {
    return { told: text, advice: '\nA container is named DATABASE/CONTAINER, such as shop/orders.' };
  }
  const isClient = command.options.some(({ long }) => long === '--endpoint');
  if (!isClient || !text.includes("option '--port'")) return { told: text, advice: '' };
  // Whatever it has found with similar letters is something else.
  const [told = text] = text.split('\n');
  return { told, advice: '\nThe server is named with --endpoint, such as --endpoint http://127.0.0.1:8081.' };
}

function meaningOf({ meaning, fallback }: OptionSpec): string {
  return fallback === undefined ? meaning : `${meaning} (default: ${fallback})`;
}

/** Without this a misspelt command would be taken for an argument of `serve`. */
function checkName(args: readonly string[]): void {
  const [first] = args;
  if (first === undefined || first.startsWith('-')) return;
  const names = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
  if (first === 'help' || names.includes(first)) return;
  // Without the `--`, npm keeps a flag to itself and passes its value on.
  const npm =
    process.env['npm_lifecycle_event'] === 'start' ? ' With npm, flags stand after --: npm start -- --port 0.' : '';
  const near = startWords.has(first) ? ` ${ownCommand(process.env)} serve starts a server.` : suggestion(first, names);
  throw new UsageError(`There is no command '${first}'.${near}${npm}`);
}

/** What others call it. */
const startWords: ReadonlySet<string> = new Set(['start', 'run', 'up', 'server', 'dev']);

/** Only now, as below. */
async function withNames(error: unknown, call: Call): Promise<unknown> {
  const { withNearNames } = await import('./missing-names.ts');
  return withNearNames(error, call);
}

async function explain(error: unknown, args: readonly string[]): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof KeyWantedError && (await isNameless(error.endpoint))) {
    const near = suggestion(new URL(error.endpoint).hostname, ['localhost']);
    say(`There is no machine of the name in ${error.endpoint}: look at how it is written.${near}`);
    return 1;
  }
  if (error instanceof UsageError) {
    say(`${error.message}\nSee --help.`);
    return 2;
  }
  say(await wordsOf(error, args));
  return 1;
}

/** Nobody need look for the key of a machine that there is not. */
async function isNameless(endpoint: string): Promise<boolean> {
  const { default: dns } = await import('node:dns/promises');
  return dns.lookup(new URL(endpoint).hostname.replaceAll(/[[\]]/g, '')).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOTFOUND',
  );
}

function ownVersion(): string {
  const manifest: { version?: unknown } = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8'));
  return String(manifest.version);
}
