// A group of real processes that is ill-treated at random while changes are written: killed, stopped, frozen, cut off from its
// leases, its ranges split and merged. In the end every change has been handled, in order, and everything is at rest.

import { SeededRandom, sizeOf } from '@tidemark/testing';
import type { HostProcess } from '../../conformance/processor/host-process.ts';
import { disordered, repeated } from '../../conformance/processor/ledger.ts';
import { brief, leasesTile, Setting } from '../../conformance/processor/setting.ts';
import type { TcpProxy } from '../../conformance/processor/tcp-proxy.ts';
import type { Outcome, RunOptions } from '../outcome.ts';

const hostsMin = 2;
const hostsMax = 4;
const rangesMax = 6;

export async function runHosts({ seed, steps = sizeOf('hostSteps'), onProgress }: RunOptions): Promise<Outcome> {
  let n = 0;
  const { lost, disordered, owned, isTiled, exits, ...figures } = await Chaos.run(seed, steps, (step) => {
    n += 1;
    onProgress(`${n} of ${steps}: ${step}`);
  });
  const problems = [
    ...lost.map((id) => `lost: ${id}`),
    ...disordered.map((id) => `disordered: ${id}`),
    ...exits.filter((code) => code !== 0).map((code) => `a host that was asked to stop ended with ${code}`),
    ...(owned === 0 ? [] : [`${owned} leases are still owned`]),
    ...(isTiled ? [] : ['the leases do not cover every key once']),
    // Nobody is disturbed more often than there were disturbances.
    ...(figures.repeatedMost <= figures.steps.length + 1 ? [] : [`a change came ${figures.repeatedMost} times`]),
  ];
  return { problems, figures };
}

interface ChaosOutcome {
  readonly steps: readonly string[];
  readonly written: number;
  readonly lost: readonly string[];
  readonly disordered: readonly string[];
  /** Changes that were delivered more than once, and how often the worst of them. */
  readonly repeated: number;
  readonly repeatedMost: number;
  /** Codes of hosts that were asked to stop. */
  readonly exits: readonly (number | null)[];
  /** Leases that somebody still owns in the end. */
  readonly owned: number;
  /** I6: the leases cover all keys, each once. */
  readonly isTiled: boolean;
}

interface Member {
  readonly host: HostProcess;
  readonly proxy: TcpProxy;
}

class Chaos {
  readonly #setting: Setting;
  readonly #random: SeededRandom;
  readonly #members: Member[] = [];
  readonly #steps: string[] = [];
  readonly #exits: (number | null)[] = [];
  readonly #onStep: (step: string) => void;
  #names = 0;

  private constructor(setting: Setting, seed: string, onStep: (step: string) => void) {
    this.#setting = setting;
    this.#random = new SeededRandom(seed);
    this.#onStep = onStep;
  }

  static async run(seed: string, steps: number, onStep: (step: string) => void = () => {}): Promise<ChaosOutcome> {
    await using setting = await Setting.open({ ranges: 3 });
    const chaos = new Chaos(setting, seed, onStep);
    for (let n = 0; n < hostsMin; n += 1) await chaos.#join();
    setting.ledger.writeOn(6);
    for (let n = 0; n < steps; n += 1) await chaos.#step();
    await setting.ledger.stop();
    await setting.untilNothingIsLost();
    return await chaos.#end();
  }

  async #end(): Promise<ChaosOutcome> {
    const { hosts, ledger } = this.#setting;
    const living = new Set(this.#members.map(({ host }) => host.instance));
    await this.#setting.untilLeases(
      'the living have them, and the last split or merge is made',
      (leases) => leases.every(({ Owner }) => Owner !== null && living.has(Owner)) && leasesTile(leases),
    );
    for (const { host } of this.#members) this.#exits.push(await host.end('SIGTERM'));
    const leases = await this.#setting.leaseDocuments();
    const times = repeated(hosts);
    return {
      steps: this.#steps,
      written: ledger.written.length,
      lost: ledger.lost(hosts),
      disordered: disordered(hosts),
      repeated: times.size,
      repeatedMost: Math.max(1, ...times.values()),
      exits: this.#exits,
      owned: leases.filter(({ Owner }) => Owner !== null).length,
      isTiled: leasesTile(leases),
    };
  }

  /** Something happens; then everything that was written before must have been handled. */
  async #step(): Promise<void> {
    const ranges = await this.#setting.items.ranges();
    const actions = {
      kill: () => this.#kill(),
      stop: () => this.#stop(),
      freeze: () => this.#freeze(),
      cut: () => this.#cut(),
      join: () => this.#join(),
      split: () => this.#setting.split(this.#random.pick(ranges).id),
      merge: () => this.#merge(ranges.map(({ id }) => id)),
    };
    const names = (Object.keys(actions) as (keyof typeof actions)[]).filter((name) => {
      if (name === 'join') return this.#members.length < hostsMax;
      if (name === 'split') return ranges.length < rangesMax;
      return name !== 'merge' || ranges.length > 2;
    });
    const name = this.#random.pick(names);
    this.#note(name);
    let waiting = this.#setting.ledger.written.map(({ id }) => id);
    await actions[name]();
    while (this.#members.length < hostsMin) await this.#join();
    await this.#setting.until('what was written before', () => {
      const { hosts } = this.#setting;
      waiting = waiting.filter((id) => !hosts.some(({ handledIds }) => handledIds.has(id)));
      return waiting.length === 0;
    });
  }

  async #join(): Promise<void> {
    const proxy = await this.#setting.proxy();
    this.#names += 1;
    const host = this.#setting.host(`h${this.#names}`, { ...brief, leaseEndpoint: proxy.url, itemsMax: 20 });
    this.#members.push({ host, proxy });
    await host.untilWord('started');
  }

  #leave(): Member {
    const [member] = this.#members.splice(this.#random.int(this.#members.length), 1);
    if (member === undefined) throw new Error('There is nobody.');
    return member;
  }

  async #kill(): Promise<void> {
    await this.#leave().host.end('SIGKILL');
  }

  async #stop(): Promise<void> {
    this.#exits.push(await this.#leave().host.end('SIGTERM'));
  }

  /** Until others have taken whatever it had. */
  async #freeze(): Promise<void> {
    const { host } = this.#random.pick(this.#members);
    host.signal('SIGSTOP');
    await this.#untilTaken(host);
    host.signal('SIGCONT');
  }

  async #cut(): Promise<void> {
    const { host, proxy } = this.#random.pick(this.#members);
    proxy.cut();
    await this.#untilTaken(host);
    proxy.mend();
  }

  /** By the leases: those that it had may be replaced by others, where a split or merge was just made. */
  async #untilTaken({ instance }: HostProcess): Promise<void> {
    await this.#setting.untilLeases(`others have what ${instance} had`, (leases) =>
      leases.every(({ Owner }) => Owner !== null && Owner !== instance),
    );
  }

  async #merge(ids: readonly string[]): Promise<void> {
    const n = this.#random.int(ids.length - 1);
    await this.#setting.merge(ids.slice(n, n + 2));
  }

  #note(step: string): void {
    this.#steps.push(step);
    this.#onStep(step);
  }
}
