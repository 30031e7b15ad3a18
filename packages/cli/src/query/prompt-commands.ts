// What can be typed at the prompt beside queries, behind a backslash.

import { listing } from '../listing.ts';
import { suggestion } from '../nearest.ts';
import { shown } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { readParameter } from './parameters.ts';
import type { Session } from './session.ts';

interface PromptCommand {
  readonly argument: string;
  readonly meaning: string;
  run(session: Session, argument: string, signal: AbortSignal): Promise<string>;
}

const listedMax = 20;

/** Stands for nothing: neither a parameter nor, without its quotes, a key. */
const forget = '-';

const commands: Readonly<Record<string, PromptCommand>> = {
  use: {
    argument: 'DATABASE/CONTAINER',
    meaning: 'ask this container',
    async run(session, argument, signal) {
      await session.open(argument, signal);
      return '';
    },
  },
  ls: {
    argument: '[DATABASE[/CONTAINER]]',
    meaning: `list databases, containers or the first ${listedMax} documents`,
    async run(session, argument, signal) {
      const list = await listing(session.client, argument === '' ? undefined : argument, {
        itemsMax: listedMax,
        signal,
      });
      const more = list.hasMore ? ', and there may be more: tidemark ls has --limit' : '';
      return `${list.text(session.output.width())}${list.sum}${more}.\n`;
    },
  },
  param: {
    argument: '[NAME=JSON]',
    meaning: `give a parameter its value; alone lists them, \\param ${forget} forgets them`,
    async run({ manner }, argument) {
      if (argument === forget) manner.parameters = [];
      else if (argument !== '') {
        const parameter = readParameter(argument);
        manner.parameters = [...manner.parameters.filter(({ name }) => name !== parameter.name), parameter];
      }
      if (manner.parameters.length === 0) return 'No parameters.\n';
      return manner.parameters.map(({ name, json }) => `${name} = ${shown(json)}\n`).join('');
    },
  },
  key: {
    argument: '[JSON]',
    meaning: `ask this partition key only; alone says which, \\key ${forget} asks all of them again`,
    async run(session, argument) {
      if (argument !== '') session.usePartitionKey(argument === forget ? undefined : argument);
      const { partitionKey } = session;
      return partitionKey === undefined ? 'All partition keys.\n' : `Only the partition key ${partitionKey}.\n`;
    },
  },
  explain: {
    argument: '[QUERY]',
    meaning: 'say what a query does instead of its rows; alone for all that follow, or no longer',
    async run(session, argument, signal) {
      const { manner } = session;
      if (argument === '') {
        manner.isExplained = !manner.isExplained;
        return manner.isExplained ? 'Queries are explained. \\explain again runs them.\n' : 'Queries are run.\n';
      }
      const before = manner.isExplained;
      manner.isExplained = true;
      try {
        await session.ask(argument, signal);
      } finally {
        manner.isExplained = before;
      }
      return '';
    },
  },
  json: {
    argument: '',
    meaning: 'show rows as lines of JSON',
    async run({ manner }) {
      manner.form = 'json';
      return '';
    },
  },
  table: {
    argument: '',
    meaning: 'show rows as a table',
    async run({ manner }) {
      manner.form = 'table';
      return '';
    },
  },
};

/** What is to be printed. Throws a UsageError where there is no such command. */
export async function promptCommand(
  session: Session,
  name: string,
  argument: string,
  signal: AbortSignal,
): Promise<string> {
  if (name === 'help' || name === '?' || name === 'h') return helpText();
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command.run(session, argument, signal);
  const near = suggestion(
    `\\${name}`,
    [...Object.keys(commands), 'help', 'q'].map((each) => `\\${each}`),
  );
  throw new UsageError(`There is no command \\${name}.${near || ' \\help lists them.'}`);
}

function helpText(): string {
  const lines = Object.entries(commands).map(([name, { argument, meaning }]) => [
    `\\${name} ${argument}`.trim(),
    meaning,
  ]);
  const all = [...lines, ['\\help', 'this, as help'], ['\\q', 'end, as exit, quit and Ctrl-D do']];
  const width = Math.max(...all.map(([left = '']) => left.length)) + 2;
  const listed = all.map(([left = '', right = '']) => `${left.padEnd(width)}${right}\n`).join('');
  return `A query ends with a semicolon, and may go over several lines. Ctrl-C stops it.\nA command is a line of its own, also in the midst of a query.\n${listed}`;
}
