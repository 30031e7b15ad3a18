// BROKEN ON PURPOSE: takes the LSN of a unit from a sequence when the unit arrives, before anybody knows in which order
// units will commit: what a database sequence or an identity column does. A larger unit takes longer on its way to the
// commit, so a later number may be visible before an earlier one, and a reader that follows passes over the earlier one.

import type {
  Decide,
  FeedPage,
  FeedRequest,
  FeedScope,
  RangeEngine,
  RangeInfo,
  StoredDocument,
  Unit,
  UnitOutcome,
  UnitResult,
} from '@tidemark/engine/internal';
import { EngineWrapper } from './engine-wrapper.ts';

interface Numbers {
  /** The last number given. */
  given: number;
  /** The greatest number that is visible. */
  tail: number;
  /** By the LSN of the engine below. */
  readonly byInner: Map<number, number>;
}

const bytesPerTurn = 400;

export class SequenceFirstEngine extends EngineWrapper {
  readonly #numbers = new Map<string, Numbers>();

  override async commit(container: number, range: string | undefined, unit: Unit, decide: Decide): Promise<UnitResult> {
    const numbers = this.#of(container, range ?? this.rangeOf(container, unit.partitionKey.epk));
    numbers.given += 1;
    const lsn = numbers.given;
    for (let left = bytesOf(unit); left > 0; left -= bytesPerTurn) await nextTurn();
    const result = await this.inner.commit(container, range, unit, decide);
    if (!result.isCommitted) return { ...result, lsn: numbers.tail };
    numbers.byInner.set(result.lsn, lsn);
    numbers.tail = Math.max(numbers.tail, lsn);
    return { ...result, lsn, outcomes: result.outcomes.map((outcome) => renumbered(outcome, lsn)) };
  }

  override ranges(container: number): RangeInfo[] {
    return this.inner.ranges(container).map((range) => ({ ...range, tailLsn: this.#of(container, range.id).tail }));
  }

  override async feed(scope: FeedScope, request: FeedRequest): Promise<FeedPage> {
    const numbers = this.#of(scope.container, scope.range);
    const { tail } = numbers;
    if (request.after >= tail) return { pieces: [], count: 0, last: request.after, tail, floor: 0, isDrained: true };
    const items = await readAll(this.inner, scope, request);
    const shown: { readonly lsn: number; readonly bytes: Buffer }[] = [];
    for (const item of items) {
      const lsn = numbers.byInner.get(item._lsn);
      // Committed below while this page is made; the commit above has not come back yet.
      if (lsn === undefined || lsn <= request.after) continue;
      shown.push({ lsn, bytes: Buffer.from(JSON.stringify({ ...item, _lsn: lsn })) });
    }
    shown.sort((a, b) => a.lsn - b.lsn);
    let end = Math.min(shown.length, request.itemsMax);
    while (end > 0 && end < shown.length && shown[end]?.lsn === shown[end - 1]?.lsn) end += 1;
    const isDrained = end === shown.length;
    return {
      pieces: shown.slice(0, end).flatMap(({ bytes }, i) => (i === 0 ? [bytes] : [Buffer.from(','), bytes])),
      count: end,
      last: isDrained ? Math.max(tail, shown.at(-1)?.lsn ?? 0, request.after) : (shown[end - 1]?.lsn ?? request.after),
      tail,
      floor: 0,
      isDrained,
    };
  }

  #of(container: number, range: string): Numbers {
    const name = `${container}/${range}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const fresh: Numbers = { given: 0, tail: 0, byInner: new Map() };
    this.#numbers.set(name, fresh);
    return fresh;
  }
}

async function readAll(inner: RangeEngine, scope: FeedScope, request: FeedRequest): Promise<{ _lsn: number }[]> {
  const items: { _lsn: number }[] = [];
  for (let after = 0; ; ) {
    const page = await inner.feed(scope, { ...request, after });
    items.push(...(JSON.parse(`[${Buffer.concat(page.pieces).toString()}]`) as { _lsn: number }[]));
    if (page.isDrained) return items;
    after = page.last;
  }
}

function bytesOf(unit: Unit): number {
  return unit.commands.reduce(
    (sum, command) => sum + ('document' in command ? command.document.openBytes.length : 1),
    0,
  );
}

function renumbered(outcome: UnitOutcome, lsn: number): UnitOutcome {
  return 'document' in outcome ? { ...outcome, document: documentAt(outcome.document, lsn) } : outcome;
}

function documentAt(document: StoredDocument, lsn: number): StoredDocument {
  const value = JSON.parse(document.bytes.toString()) as object;
  return { ...document, lsn, bytes: Buffer.from(JSON.stringify({ ...value, _lsn: lsn })) };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
