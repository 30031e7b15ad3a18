// A processor of a hundred lines: every host takes what is free, reads, hands to the handler and checkpoints. It is right as long as nothing goes wrong
// and ranges stay as they are. With a flaw it is wrong even then: this is how the oracle is tested.

import { isDatabaseError } from '@tidemark/model';
import type { HostEquipment, HostProgram } from '@tidemark/processor/testing';
import { leaseFactsOf } from '@tidemark/processor/testing';

export type Flaw =
  | 'none'
  | 'stores-before-handling'
  | 'skips-a-page'
  | 'reads-backwards'
  | 'forgets-to-close'
  | 'delivers-after-close'
  | 'steps-back'
  | 'keeps-its-epoch'
  | 'leaves-a-timer'
  | 'never-stores'
  | 'stops-reading'
  | 'forgets-a-range'
  | 'repeats-after-stop'
  | 'hangs-at-stop'
  | 'polls-without-pause';

export function naiveProgram(flaw: Flaw): (equipment: HostEquipment) => HostProgram {
  return (equipment) => new NaiveProcessor(equipment, flaw);
}

const prefix = 'naive';

class NaiveProcessor implements HostProgram {
  readonly #host: HostEquipment;
  readonly #flaw: Flaw;
  readonly #stopping = new AbortController();
  readonly #loops: Promise<void>[] = [];

  constructor(host: HostEquipment, flaw: Flaw) {
    this.#host = host;
    this.#flaw = flaw;
  }

  async start(): Promise<void> {
    const { source, leases } = this.#host;
    const ranges = await source.ranges();
    for (const { id, min, max } of ranges.slice(this.#flaw === 'forgets-a-range' ? 1 : 0)) {
      const body = {
        id: `${prefix}..${id}`,
        LeaseToken: id,
        FeedRange: { Range: { min, max } },
        Owner: null,
        ContinuationToken: null,
        properties: {},
      };
      await leases.create(body).catch((error: unknown) => {
        if (!isDatabaseError(error) || error.code !== 'conflict') throw error;
      });
    }
    this.#loops.push(this.#balance());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#flaw === 'hangs-at-stop') await new Promise(() => undefined);
    if (this.#flaw === 'leaves-a-timer') void this.#host.ground.clock.sleep(600_000);
    await Promise.all(this.#loops);
  }

  async #balance(): Promise<void> {
    const { clock } = this.#host.ground;
    const running = new Set<string>();
    while (!this.#stopping.signal.aborted) {
      for (const document of await this.#host.leases.list(`${prefix}..`)) {
        const lease = leaseFactsOf(document);
        if (lease === undefined || lease.owner !== undefined || running.has(lease.token)) continue;
        running.add(lease.token);
        this.#loops.push(this.#own(document.id, (lease.epoch ?? 0) + (this.#flaw === 'keeps-its-epoch' ? 0 : 1)));
      }
      await clock.sleep(5000, this.#stopping.signal);
    }
  }

  async #write(id: string, epoch: number, change: Record<string, unknown>): Promise<void> {
    const document = await this.#host.leases.read(id);
    if (document === undefined) return;
    const { instance } = this.#host;
    const properties = { 'tidemark.epoch': String(epoch), 'tidemark.instance': instance, 'tidemark.nonce': instance };
    await this.#host.leases.replace(document, { ...document.body, Owner: instance, properties, ...change });
  }

  async #own(id: string, epoch: number): Promise<void> {
    try {
      await this.#write(id, epoch, {});
    } catch {
      return; // Somebody else was faster.
    }
    const { source, observer, instance, ground, leases } = this.#host;
    const lease = leaseFactsOf(await leases.read(id));
    if (lease?.keys === undefined) return;
    const { signal } = this.#stopping;
    const context = {
      leaseToken: lease.token,
      keys: lease.keys,
      epoch,
      instance,
      signal: new AbortController().signal,
    };
    await observer.open?.(context);
    let position = this.#flaw === 'repeats-after-stop' ? undefined : lease.position;
    let pages = 0;
    while (!signal.aborted) {
      if (this.#flaw === 'stops-reading' && pages === 3) {
        await ground.clock.sleep(10_000, signal);
        continue;
      }
      const from = position === undefined ? 'beginning' : { position };
      const page = await source.read({ range: lease.token, mode: 'latest', from, itemsMax: 5 });
      pages += 1;
      const batch = {
        ...context,
        position: page.position,
        attempt: 1,
        charge: 1,
        sessionToken: undefined,
        checkpoint: async () => undefined,
        idempotencyKey: () => '',
      };
      const values = page.items.flatMap((item) => ('value' in item ? [item.value] : []));
      if (this.#flaw === 'reads-backwards') values.reverse();
      if (this.#flaw === 'stores-before-handling') await this.#write(id, epoch, { ContinuationToken: page.position });
      const isSkipped = this.#flaw === 'skips-a-page' && pages === 2;
      if (values.length > 0 && !isSkipped) await observer.changes(values, batch);
      const stored = this.#flaw === 'steps-back' && pages % 3 === 0 ? '"1"' : page.position;
      if (position !== page.position && this.#flaw !== 'never-stores')
        await this.#write(id, epoch, { ContinuationToken: stored });
      position = page.position;
      if (page.isDrained && this.#flaw !== 'polls-without-pause') await ground.clock.sleep(5000, signal);
      if (this.#flaw === 'delivers-after-close' && pages === 3) {
        await observer.close?.(context, 'shutdown');
        if (values.length > 0) await observer.changes(values, batch);
      }
    }
    if (this.#flaw !== 'forgets-to-close') await observer.close?.(context, 'shutdown');
    await this.#write(id, epoch, { Owner: null });
  }
}
