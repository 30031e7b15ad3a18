// Upserts and point reads over HTTP, beside a bare server that answers the same bytes.

import type { Standing } from '../common/contest.ts';
import { contest, ratioOfRounds, standingOf } from '../common/contest.ts';
import { showProgress } from '../common/progress.ts';
import type { Bound, Row } from '../common/report.ts';
import type { ServerProcess } from './process.ts';
import { bareGet, barePost, readOf, upsertOf } from './requests.ts';
import type { ServerSetting } from './setting.ts';
import { load } from './setting.ts';

/** By then both servers run compiled code. Other numbers of connections come later and find them warm. */
const warmUp = { operations: 15_000 };
const warmUpLater = { operations: 200 };
const share: Bound = { kind: 'at least', floor: 0.45 };
/** Signed once each; more than any cache of the processor holds. */
const readsKnown = 5_000;

export async function measureWrites(setting: ServerSetting): Promise<void> {
  const { report, options, server, bare, chance } = setting;
  report.section('durable upserts over HTTP, beside a bare echo of the same body');
  let version = 0;
  const upsert = (): Buffer => {
    version += 1;
    return upsertOf((version & 1) === 0 ? options.documents + version : chance(options.documents), version);
  };
  for (const connections of [64, 256, 1]) {
    showProgress(`upserts, ${connections} connections`);
    const first = connections === 64 ? warmUp : warmUpLater;
    const turn = (of: ServerProcess, request: () => Buffer) => (round: number) =>
      load({
        server: of,
        connections,
        until: round < 0 ? first : { turnMs: options.turnMs },
        status: [200, 201],
        request,
      });
    const standings = await contest(
      [
        { name: 'Tidemark', turn: turn(server, upsert) },
        { name: 'bare echo', turn: turn(bare, () => barePost(version++, version)) },
      ],
      options.rounds,
    );
    const standing = standingOf(standings, 'Tidemark');
    report.add({
      id: `upserts-${connections}`,
      label: `upserts, ${connections} connections`,
      measure: 'wall clock',
      figure: standing.perSecond,
      unit: '/s',
      against: { name: 'bare echo', figure: standingOf(standings, 'bare echo').perSecond },
      ratio: ratioOfRounds(standings, 'Tidemark', 'bare echo'),
      ...(connections === 64 ? { bound: share } : {}),
    });
    report.add(processorRow(`upserts-${connections}`, standing, standingOf(standings, 'bare echo'), 'bare echo'));
    report.add({ id: `upserts-${connections}-p99`, label: '  p99', figure: standing.latencyP99Ms, unit: 'ms' });
  }
}

export async function measurePoints(setting: ServerSetting): Promise<void> {
  const { report, options, server, bare, chance } = setting;
  showProgress('point reads');
  report.section('point reads over HTTP, beside a bare GET of the same bytes');
  const reads = Array.from({ length: Math.min(readsKnown, options.documents) }, () =>
    readOf(chance(options.documents)),
  );
  const get = bareGet('document');
  const turn = (of: ServerProcess, request: () => Buffer) => (round: number) =>
    load({
      server: of,
      connections: 64,
      until: round < 0 ? warmUp : { turnMs: options.turnMs },
      status: [200],
      request,
    });
  const standings = await contest(
    [
      { name: 'Tidemark', turn: turn(server, () => reads[chance(reads.length)] as Buffer) },
      { name: 'bare GET', turn: turn(bare, () => get) },
    ],
    options.rounds,
  );
  report.add({
    id: 'points-64',
    label: 'point reads, 64 connections',
    measure: 'wall clock',
    figure: standingOf(standings, 'Tidemark').perSecond,
    unit: '/s',
    against: { name: 'bare GET', figure: standingOf(standings, 'bare GET').perSecond },
    ratio: ratioOfRounds(standings, 'Tidemark', 'bare GET'),
    bound: share,
  });
  report.add(
    processorRow('points-64', standingOf(standings, 'Tidemark'), standingOf(standings, 'bare GET'), 'bare GET'),
  );
}

/**
 * What one request takes of the server's processor time, and the ratio that the rates would have if nothing else counted. It
 * says more than the rates where others use the machine too.
 */
export function processorRow(id: string, standing: Standing, bare: Standing, name: string): Row {
  return {
    id: `${id}-processor`,
    label: '  processor time of one',
    measure: 'processor time',
    figure: standing.processorMicros,
    unit: 'µs',
    against: { name, figure: bare.processorMicros },
    ratio: bare.processorMicros / standing.processorMicros,
  };
}
