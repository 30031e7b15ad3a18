// `tidemark tail`: the change feed of a container in the terminal.

import type { ChangePage, ChangesOptions, ChangesStart, RangeInfo, RestContainer } from '@tidemark/client';
import { onOneLine } from '@tidemark/client';
import type { KeyRange, PartitionKeyValues } from '@tidemark/model';
import {
  DatabaseError,
  intersectKeyRanges,
  isDatabaseError,
  keySpaceMax,
  keySpaceMin,
  narrowFeedParts,
  parsePartitionKeyHeader,
  validatePartitionKeyDefinition,
} from '@tidemark/model';
import type { FeedMode } from '@tidemark/processor';
import type { Call } from '../call.ts';
import { choiceOption, isOn, numberOption, textOption } from '../call.ts';
import { changeLine, keyPathsOf } from '../change-line.ts';
import { connect, containerNames } from '../connect.ts';
import type { Position } from '../feed-position.ts';
import { lsnOf, positionOf, readPosition, wordsOf } from '../feed-position.ts';
import { Follow } from '../follow.ts';
import { ownCommand } from '../own-command.ts';
import { counted, print, quoted, say, stopSignal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';

const pageItems = 1_000;
const modes: readonly FeedMode[] = ['latest', 'all-versions'];

interface Wanted {
  readonly name: string;
  /** The flags that say where the account is, as they were given. */
  readonly account: readonly string[];
  readonly position: Position;
  readonly mode: FeedMode;
  readonly range: string | undefined;
  readonly key: string | undefined;
  readonly limit: number;
  readonly pollMs: number;
  readonly isJson: boolean;
  readonly isUntilDrained: boolean;
}

export async function run(call: Call): Promise<number> {
  const [name = ''] = call.arguments;
  const { database, container: id } = containerNames(name);
  const wanted = readWanted(call, name);
  const client = connect(call);
  const container = client.container(database, id);
  const definition = await container.read({ retryMsMax: 0 });
  const tail = new Tail(container, wanted, keyPathsOf(definition));
  await tail.run(wanted.key === undefined ? undefined : readKey(wanted.key, definition));
  return 0;
}

function readWanted(call: Call, name: string): Wanted {
  const range = textOption(call, 'range');
  const key = textOption(call, 'key');
  if (range !== undefined && key !== undefined) throw new UsageError('Give --range or --key, not both.');
  const position = readPosition(textOption(call, 'from') ?? 'now');
  if (key !== undefined && position.kind === 'parts') {
    throw new UsageError('That position is one of a whole container, not of a partition key.');
  }
  return {
    name,
    account: accountFlags(call),
    position,
    mode: choiceOption(call, 'mode', modes) ?? 'latest',
    range,
    key,
    limit: numberOption(call, 'limit', { min: 1, max: 1_000_000_000 }) ?? Number.POSITIVE_INFINITY,
    pollMs: numberOption(call, 'poll', { min: 10, max: 3_600_000 }) ?? 1_000,
    isJson: isOn(call, 'json'),
    isUntilDrained: isOn(call, 'untilDrained'),
  };
}

/** `"a"` stands for `["a"]`. */
function readKey(text: string, definition: Readonly<Record<string, unknown>>): PartitionKeyValues {
  const whole = text.trimStart().startsWith('[') ? text : `[${text}]`;
  try {
    return parsePartitionKeyHeader(whole, validatePartitionKeyDefinition(definition['partitionKey']), { prefix: true });
  } catch (error) {
    throw new UsageError(`--key: ${(error as Error).message} In a shell: --key '"ada"'.`); // Both throw DatabaseErrors.
  }
}

class Tail {
  readonly #container: RestContainer;
  readonly #wanted: Wanted;
  readonly #paths: readonly string[];
  readonly #stop = new AbortController();
  #printed = 0;
  #isInTrouble = false;

  constructor(container: RestContainer, wanted: Wanted, paths: readonly string[]) {
    this.#container = container;
    this.#wanted = wanted;
    this.#paths = paths;
  }

  async run(key: PartitionKeyValues | undefined): Promise<void> {
    const { position, mode, pollMs, isUntilDrained } = this.#wanted;
    const signal = stopSignal();
    signal.addEventListener('abort', () => this.#stop.abort());
    const follow = new Follow({
      container: this.#container,
      mode,
      pollMs,
      isUntilDrained,
      signal: this.#stop.signal,
      itemsMax: () => Math.max(1, Math.min(pageItems, this.#wanted.limit - this.#printed)),
      onPage: (page, itemsMax) => this.#show(page, itemsMax),
      onTrouble: (error) => this.#complain(error),
    });
    if (key !== undefined && position.kind === 'start') {
      this.#sayBegin();
      await this.#sayAhead([{ where: 'its range', scope: { partitionKey: key }, start: position.start }]);
      this.#sayEnd(followingKey(this.#wanted, await follow.runKey(key, position.start)));
      return;
    }
    const ranges = await this.#container.ranges();
    const parts = this.#startingParts(ranges);
    this.#sayBegin();
    await this.#sayAhead(startsIn(ranges, parts));
    await follow.run(parts);
    this.#sayEnd(
      this.#wanted.range === undefined ? following(this.#wanted, follow) : followingRanges(this.#wanted, follow),
    );
  }

  #startingParts(ranges: readonly RangeInfo[]): StartingPart[] {
    const { position, range } = this.#wanted;
    const all = { min: keySpaceMin, max: keySpaceMax };
    const scope = range === undefined ? all : ranges.find((each) => each.id === range);
    if (scope === undefined) {
      const message = `There is no range "${range}", only ${ranges.map(({ id }) => `"${id}"`).join(', ')}.`;
      throw new DatabaseError('bad-request', message);
    }
    const keys = { min: scope.min, max: scope.max };
    if (position.kind === 'parts') {
      return narrowFeedParts(position.parts, keys).map(({ min, max, lsn }) => ({
        keys: { min, max },
        start: { etag: `"${lsn}"` },
      }));
    }
    const isLsn = typeof position.start === 'object' && 'etag' in position.start;
    if (isLsn && range === undefined && ranges.length > 1) {
      const message = 'An LSN is a position in one range, and there are several: name one with --range.';
      throw new DatabaseError('bad-request', message);
    }
    return [{ keys, start: position.start }];
  }

  /** False when others have meanwhile used up the limit that the page was asked for with. */
  async #show(page: ChangePage, itemsMax: number): Promise<boolean> {
    this.#isInTrouble = false;
    const { limit, isJson } = this.#wanted;
    const left = limit - this.#printed;
    if (left <= 0) return false;
    const items = page.itemBytes();
    if (items.length > left && itemsMax > left) return false;
    const width = process.stdout.columns || Number.POSITIVE_INFINITY;
    const range = page.rangeId ?? '-';
    const pieces: Buffer[] = [];
    for (const bytes of items) {
      if (isJson) pieces.push(onOneLine(bytes), lineFeed);
      else pieces.push(Buffer.from(`${changeLine(JSON.parse(String(bytes)), range, this.#paths, width)}\n`));
    }
    if (pieces.length > 0) await print(Buffer.concat(pieces));
    // A transaction comes whole, and may go beyond the limit.
    this.#printed += items.length;
    if (this.#printed >= limit) this.#stop.abort();
    return true;
  }

  #complain(error: Error): void {
    if (!this.#isInTrouble) say(`${error.message} Trying again.`);
    this.#isInTrouble = true;
  }

  /** Without it a tail of a quiet container looks as if it hung, in a terminal and in the log of whoever started it. */
  #sayBegin(): void {
    const { name, position, isUntilDrained } = this.#wanted;
    if (!isUntilDrained) say(`Following ${name} from ${wordsOf(position)}; Ctrl-C ends it.`);
  }

  /**
   * A position beyond the end of the feed is taken as it is, since it may be one of before a restore: what is written up to it is
   * never shown. Whoever mistyped it would wait without knowing.
   */
  async #sayAhead(starts: readonly RangeStart[]): Promise<void> {
    const { mode } = this.#wanted;
    for (const { where, scope, start } of starts) {
      const lsn = lsnOf(start);
      if (lsn === undefined || lsn === 0) continue;
      const end = await this.#endOf({ ...scope, mode });
      if (end === undefined || end >= lsn) continue;
      const words = `The position ${lsn} is ahead of the feed: ${where} has come to ${end}.`;
      say(`${words} Nothing comes before it has passed ${lsn}; what is written until then is not shown.`);
      // Of many ranges, one says enough.
      return;
    }
  }

  /** Undefined when it cannot be told: following says itself what is wrong, and may get over it. */
  async #endOf(scope: ChangesOptions): Promise<number | undefined> {
    try {
      const { signal } = this.#stop;
      const page = await this.#container.changes({ ...scope, from: 'now', itemsMax: 1, retryMsMax: 0, signal });
      return lsnOf({ etag: page.etag });
    } catch (error) {
      if (isDatabaseError(error) || this.#stop.signal.aborted) return undefined;
      throw error;
    }
  }

  #sayEnd(next: string): void {
    say(`${counted(this.#printed, 'changes')}. ${next}`);
  }
}

interface StartingPart {
  readonly keys: KeyRange;
  readonly start: ChangesStart;
}

/** A part of the feed with an end of its own. */
interface RangeStart {
  /** For people. */
  readonly where: string;
  readonly scope: Pick<ChangesOptions, 'range' | 'partitionKey'>;
  readonly start: ChangesStart;
}

function startsIn(ranges: readonly RangeInfo[], parts: readonly StartingPart[]): RangeStart[] {
  return parts.flatMap(({ keys, start }) =>
    ranges
      .filter((range) => intersectKeyRanges(range, keys) !== undefined)
      .map(({ id }) => ({ where: `range ${id}`, scope: { range: id }, start })),
  );
}

const lineFeed: Buffer = Buffer.from('\n');

function following(wanted: Wanted, follow: Follow): string {
  const position = positionOf(follow.parts);
  return position === undefined
    ? 'There is no position to go on from yet.'
    : `Go on with ${commandOf(wanted, position)}`;
}

function followingRanges(wanted: Wanted, follow: Follow): string {
  const lines = follow.parts.map(({ start, range }) => {
    const lsn = lsnOf(start);
    return lsn === undefined ? undefined : commandOf({ ...wanted, range }, String(lsn));
  });
  return lines.includes(undefined) ? 'There is no position to go on from yet.' : `Go on with ${lines.join(' and ')}`;
}

function followingKey(wanted: Wanted, start: ChangesStart): string {
  if (typeof start === 'string' || 'timeMs' in start) return 'There is no position to go on from yet.';
  return `Go on with ${commandOf(wanted, start.etag.replaceAll('"', ''))}`;
}

function commandOf({ name, account, mode, range, key }: Wanted, position: string): string {
  const options = [
    ...account,
    ...(mode === 'latest' ? [] : ['--mode', mode]),
    ...(range === undefined ? [] : ['--range', range]),
    ...(key === undefined ? [] : ['--key', quoted(key)]),
    '--from',
    position,
  ];
  return `${ownCommand(process.env)} tail ${quoted(name)} ${options.join(' ')}`;
}

function accountFlags(call: Call): string[] {
  const endpoint = textOption(call, 'endpoint');
  const variable = textOption(call, 'connectionStringEnv');
  return [
    ...(endpoint === undefined ? [] : ['--endpoint', quoted(endpoint)]),
    ...(variable === undefined ? [] : ['--connection-string-env', quoted(variable)]),
  ];
}
