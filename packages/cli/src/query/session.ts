// One sitting with an account: which container is asked, how rows are shown, and what is said of a query that has run.

import type { RestClient } from '@tidemark/client';
import type { PartitionKeyDefinition } from '@tidemark/model';
import { validatePartitionKeyDefinition } from '@tidemark/model';
import { containerNames } from '../connect.ts';
import { Progress } from '../progress.ts';
import { count, shown } from '../terminal.ts';
import type { Parameter, Target } from './ask.ts';
import { explain, explanationJson, explanationText } from './explain.ts';
import { explainedMistake } from './mistake.ts';
import { readPartitionKey } from './parameters.ts';
import { reachedText, runQuery } from './query-run.ts';
import type { RowForm, RowOutput } from './row-writer.ts';
import { rowWriter } from './row-writer.ts';

/** What is asked, and what of it a person may change at the prompt. */
export interface Manner {
  form: RowForm;
  parameters: readonly Parameter[];
  /** As it was written, since another container may read it in another way. */
  partitionKey: string | undefined;
  isExplained: boolean;
}

export interface SessionOptions {
  readonly client: RestClient;
  readonly output: RowOutput;
  /** Says a line to people. */
  tell(text: string): void;
  readonly itemsMax: number | undefined;
  readonly limit: number;
}

interface Opened {
  readonly name: string;
  readonly database: string;
  readonly container: string;
  readonly definition: PartitionKeyDefinition;
}

export class Session {
  readonly manner: Manner;
  readonly #options: SessionOptions;
  #opened: Opened | undefined;

  constructor(options: SessionOptions, manner: Manner) {
    this.#options = options;
    this.manner = manner;
  }

  get client(): RestClient {
    return this.#options.client;
  }

  get output(): RowOutput {
    return this.#options.output;
  }

  /** `shop/orders`; undefined before the first one is opened. */
  get name(): string | undefined {
    return this.#opened?.name;
  }

  /** For people, as it is read: `["ada"]`; undefined where all keys are asked. */
  get partitionKey(): string | undefined {
    const { partitionKey: text } = this.manner;
    if (text === undefined || this.#opened === undefined) return text;
    const { partitionKey = [] } = targetIn(this.#opened, this.client, text);
    return shown(JSON.stringify(partitionKey.map((value) => (value === undefined ? {} : value))));
  }

  /** Fails at once where there is no such container, or nobody answers. */
  async open(name: string, signal?: AbortSignal): Promise<void> {
    const { database, container } = containerNames(name);
    const { partitionKey } = await this.client.container(database, container).read({ retryMsMax: 0, signal });
    const opened = { name, database, container, definition: validatePartitionKeyDefinition(partitionKey) };
    targetIn(opened, this.client, this.manner.partitionKey);
    this.#opened = opened;
  }

  /** A key that this container cannot have is a usage error, and nothing is changed. */
  usePartitionKey(text: string | undefined): void {
    if (this.#opened !== undefined) targetIn(this.#opened, this.client, text);
    this.manner.partitionKey = text;
  }

  /** False when it was stopped. */
  async ask(text: string, signal: AbortSignal): Promise<boolean> {
    const opened = this.#opened;
    if (opened === undefined) throw new Error('no container is opened');
    const { itemsMax, limit, output, tell } = this.#options;
    const { form, parameters, partitionKey, isExplained } = this.manner;
    const target = targetIn(opened, this.client, partitionKey);
    const question = { text, parameters };
    try {
      if (isExplained) {
        const explanation = await explain(target, opened.definition, question, { itemsMax, signal });
        const json = (): string => `${JSON.stringify(explanationJson(explanation))}\n`;
        await output.print(form === 'json' ? json() : explanationText(explanation));
        return true;
      }
      const writer = rowWriter(form, output);
      const progress = new Progress('query');
      const outcome = await runQuery({ target, question, writer, progress, itemsMax, limit, signal });
      const end = outcome.isComplete ? '' : 'Interrupted: ';
      tell(`${end}${reachedText(outcome)}, ${count(Math.round(outcome.timeMs))} ms.${writer.leftOut()}`);
      return outcome.isComplete;
    } catch (error) {
      if (signal.aborted && error === signal.reason) return false;
      throw explainedMistake(error, text, output.width());
    }
  }
}

function targetIn({ database, container, definition }: Opened, client: RestClient, key: string | undefined): Target {
  const partitionKey = key === undefined ? undefined : readPartitionKey(key, definition, true);
  return { client, database, container, partitionKey };
}
