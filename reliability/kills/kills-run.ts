// The server is killed under load, again and again, and started again on the same folder and port. Between two kills a range is
// split or merged. Nothing that was acknowledged is lost, no consumer misses a change, and continuations go on.

import { SeededRandom, sizeOf } from '@tidemark/testing';
import { Load } from '../load/load.ts';
import { Reshaper } from '../load/reshaper.ts';
import type { Outcome, RunOptions } from '../outcome.ts';

/** After so many kills everything has to come to rest; then hosts are replaced, and what was judged is forgotten. */
const killsPerRound = 50;
/** One in so many is followed by another while it opens. */
const killsPerOpening = 7;
/** A kill comes after so many acknowledgements at most; some come at once. */
const acknowledgedMax = 70;

export async function runKills({ seed, kills, minutes, onProgress }: RunOptions): Promise<Outcome> {
  const random = new SeededRandom(seed);
  await using load = await Load.open();
  const reshaper = new Reshaper(load.setting, random);
  const untilMs = minutes === undefined ? undefined : performance.now() + minutes * 60_000;
  const isOver = (done: number): boolean =>
    load.problems.length > 0 ||
    (untilMs === undefined ? done >= (kills ?? sizeOf('serverKills')) : performance.now() >= untilMs);
  let done = 0;
  let rounds = 0;
  load.start();
  while (!isOver(done)) {
    await liveAndDie(load, reshaper, random, done % killsPerOpening === killsPerOpening - 1);
    done += 1;
    onProgress(
      `${done} kills, ${load.judge.acknowledged} acknowledged, ${reshaper.splits} splits, ${reshaper.merges} merges`,
    );
    if (done % killsPerRound !== 0 || isOver(done)) continue;
    await load.settle();
    await load.replaceHosts();
    rounds += 1;
    load.start();
  }
  // The last life shows that the one before left nothing that hinders.
  await load.untilAcknowledged(load.judge.acknowledged + acknowledgedMax);
  await load.settle();
  await load.stop();
  const { acknowledged } = load.judge;
  const { splits, merges } = reshaper;
  const restarts = load.readers.map((reader) => reader.restarts);
  const twinsOfTheSdk = load.readers.reduce((sum, reader) => sum + reader.twins, 0);
  return {
    problems: load.problems,
    figures: {
      kills: done,
      rounds: rounds + 1,
      acknowledged,
      splits,
      merges,
      continuationsUsed: restarts,
      twinsOfTheSdk,
    },
  };
}

async function liveAndDie(load: Load, reshaper: Reshaper, random: SeededRandom, isTwice: boolean): Promise<void> {
  const { judge, uptime, setting } = load;
  const before = judge.acknowledged;
  const lifetime = random.int(acknowledgedMax);
  await load.untilAcknowledged(before + Math.floor(lifetime / 2));
  await reshaper.reshape();
  await load.untilAcknowledged(before + lifetime);
  uptime.isUp = false;
  await setting.endServer('SIGKILL');
  if (isTwice) await setting.killWhileOpening();
  await setting.startServer();
  uptime.isUp = true;
}
