// `tidemark query`: a query whose rows go to the terminal or to a program, or a prompt where one after the other is typed.

import type { Call } from '../call.ts';
import { isOn, listOption, numberOption, textOption } from '../call.ts';
import { connect, containerNames } from '../connect.ts';
import { wordsOf } from '../error-words.ts';
import { inputText } from '../input-text.ts';
import { queryBytesMax } from '../limits.ts';
import { withNearNames } from '../missing-names.ts';
import { ownCommand } from '../own-command.ts';
import { fileHistory, historyPath } from '../query/history.ts';
import { checkUsed, readParameters } from '../query/parameters.ts';
import { runPrompt } from '../query/prompt.ts';
import { promptCommand } from '../query/prompt-commands.ts';
import type { RowForm } from '../query/row-writer.ts';
import type { Manner } from '../query/session.ts';
import { Session } from '../query/session.ts';
import { saysSomething, splitStatements } from '../query/statements.ts';
import { cutTo } from '../table/text-width.ts';
import { print, quoted, say, stopSignal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

const pageMax = 10_000;
const limitMax = 1_000_000_000;

export async function run(call: Call): Promise<number> {
  const [name, text] = call.arguments;
  const manner = readManner(call);
  const client = connect(call);
  checkIsName(name, text);
  const isTyped = text === undefined && process.stdin.isTTY === true;
  const session = new Session(
    {
      client,
      output: { print, width: () => process.stdout.columns || Number.POSITIVE_INFINITY },
      tell: say,
      itemsMax: numberOption(call, 'page', { min: 1, max: pageMax }),
      limit: numberOption(call, 'limit', { min: 1, max: limitMax }) ?? Number.POSITIVE_INFINITY,
    },
    manner,
  );
  if (isTyped) return typed(call, session, name);
  if (name === undefined) throw new UsageError(nameless);
  const queries = statementsIn(text ?? (await inputText(process.stdin, queryBytesMax, 'A query')));
  checkUsed(manner.parameters, queries);
  await session.open(name);
  const signal = stopSignal();
  for (const query of queries) if (!(await session.ask(query, signal))) return 1;
  return 0;
}

const nameless = 'Name the container, DATABASE/CONTAINER, before the query.';

/** The query alone would be taken for the name of a container. */
function checkIsName(name: string | undefined, text: string | undefined): void {
  if (name === undefined || !/^\s*select\b/i.test(name)) {
    if (name !== undefined) containerNames(name);
    return;
  }
  const query = text === undefined ? quoted(name) : "'SELECT …'";
  throw new UsageError(`${nameless} ${ownCommand(process.env)} query DATABASE/CONTAINER ${query}`);
}

function readManner(call: Call): Manner {
  const isJson = isOn(call, 'json');
  if (isJson && isOn(call, 'table')) throw new UsageError('Give --json or --table, not both.');
  const form: RowForm = isJson || (!isOn(call, 'table') && process.stdout.isTTY !== true) ? 'json' : 'table';
  return {
    form: isOn(call, 'explain') && !isJson ? 'table' : form,
    parameters: readParameters(listOption(call, 'param')),
    partitionKey: textOption(call, 'partitionKey'),
    isExplained: isOn(call, 'explain'),
  };
}

function statementsIn(text: string): readonly string[] {
  const { statements, rest } = splitStatements(text.replace(/^\ufeff/, ''));
  const all = saysSomething(rest) ? [...statements, rest] : statements;
  if (all.length === 0) throw new UsageError("There is no query: write one, as in 'SELECT * FROM c'.");
  return all.map((each) => each.trim());
}

async function typed(call: Call, session: Session, name: string | undefined): Promise<number> {
  if (name !== undefined) await session.open(name);
  const output = process.stdout.isTTY === true ? process.stdout : process.stderr;
  const where = session.name === undefined ? ' \\use DATABASE/CONTAINER says which container is asked.' : '';
  output.write(`${session.client.endpoint}. A query ends with ;${where} \\help lists the commands, \\q ends.\n`);
  // What is named at the prompt counts, not what the command line names.
  const flags = process.argv.slice(2).filter((arg) => arg !== name);
  /** A mistake is told, and the next query may be a better one. */
  const forgiving = async (opened: string | undefined, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      const args = opened === undefined ? [] : [opened];
      say(
        error instanceof UsageError
          ? error.message
          : await wordsOf(await withNearNames(error, { ...call, arguments: args }), [...flags, ...args]),
      );
    }
  };
  await runPrompt({
    input: process.stdin,
    output,
    isTerminal: true,
    history: fileHistory(historyPath(process.env), say),
    place: () => placeOf(session),
    run: (query, signal) =>
      forgiving(session.name, async () => {
        if (session.name === undefined) throw new UsageError('No container is opened: \\use DATABASE/CONTAINER');
        await session.ask(query, signal);
      }),
    async command(command, argument, signal) {
      if (command === 'q' || command === 'quit' || command === 'exit') return false;
      await forgiving(argument, async () => print(await promptCommand(session, command, argument, signal)));
      return true;
    },
  });
  return 0;
}

/** The key is shown where one asks: it narrows every query that follows. */
function placeOf({ name = 'tidemark', partitionKey }: Session): string {
  return partitionKey === undefined ? name : `${name} ${cutTo(partitionKey, keyWidthMax)}`;
}

const keyWidthMax = 30;
