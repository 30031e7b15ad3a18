// The whole feed in pages of a thousand documents, again and again, beside a bare server that sends such pages ready-made.

import { contest, ratioOfRounds, standingOf } from '../common/contest.ts';
import type { Drive } from '../common/drive.ts';
import { showProgress } from '../common/progress.ts';
import { headerOf } from './connection.ts';
import { bareGet, feedOf } from './requests.ts';
import { processorRow } from './requests-per-second.ts';
import type { ServerSetting } from './setting.ts';
import { load } from './setting.ts';

const pageDocuments = 1_000;
/** Turns are cut into so many: a machine is slow for a while, and then for both of a pair. */
const partsOfTurn = 5;
/** Pages, by which both servers run compiled code. With several connections, which come later, they do already. */
const warmUp = { operations: 3_000 };
const warmUpLater = { operations: 50 };

export async function measureFeed(setting: ServerSetting): Promise<void> {
  const { report, options, server, bare } = setting;
  report.section('the feed from the beginning in pages of 1,000 documents, documents a second');
  const get = bareGet('page');
  for (const connections of [1, 4]) {
    showProgress(`feed pages, ${connections} connections`);
    const etags = new Map<number, string>();
    const first = connections === 1 ? warmUp : warmUpLater;
    const readPages = async (round: number): Promise<Drive> => {
      let documents = 0;
      const driven = await load({
        server,
        connections,
        until: round < 0 ? first : { turnMs: options.turnMs / partsOfTurn },
        status: [200, 304],
        request: (n) => feedOf('0', etags.get(n), pageDocuments),
        answered: (n, head) => {
          const count = Number(headerOf(head, 'x-ms-item-count'));
          documents += count;
          if (count < pageDocuments) etags.delete(n);
          else etags.set(n, headerOf(head, 'etag') ?? '');
        },
      });
      return { ...driven, operations: documents };
    };
    const sendPages = async (round: number): Promise<Drive> => {
      const driven = await load({
        server: bare,
        connections,
        until: round < 0 ? first : { turnMs: options.turnMs / partsOfTurn },
        status: [200],
        request: () => get,
      });
      return { ...driven, operations: driven.operations * pageDocuments };
    };
    const standings = await contest(
      [
        { name: 'Tidemark', turn: readPages },
        { name: 'bare pages', turn: sendPages },
      ],
      options.rounds * partsOfTurn,
    );
    report.add({
      id: `feed-${connections}`,
      label: `feed, ${connections} at once`,
      measure: 'wall clock',
      figure: standingOf(standings, 'Tidemark').perSecond,
      unit: '/s',
      against: { name: 'bare pages', figure: standingOf(standings, 'bare pages').perSecond },
      ratio: ratioOfRounds(standings, 'Tidemark', 'bare pages'),
      ...(connections === 1 ? { bound: { kind: 'at least', floor: 0.5, goal: 0.7 } } : {}),
    });
    report.add(
      processorRow(
        `feed-${connections}`,
        standingOf(standings, 'Tidemark'),
        standingOf(standings, 'bare pages'),
        'bare',
      ),
    );
  }
}
