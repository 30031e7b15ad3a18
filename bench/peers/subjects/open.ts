// The subject of each contestant.

import type { ContestantId } from '../contestants.ts';
import { CosmosHttp } from './cosmos-http.ts';
import { openTidemarkSdk, openVercelSdk } from './cosmos-sdk.ts';
import { NatsJetStream } from './nats.ts';
import { Postgres } from './postgres.ts';
import { PouchOnLevel } from './pouchdb.ts';
import { RedisStreams } from './redis.ts';
import type { Subject, SubjectPlace } from './subject.ts';
import { TidemarkEmbedded } from './tidemark-embedded.ts';

const openers: Readonly<Record<ContestantId, (place: SubjectPlace) => Promise<Subject>>> = {
  'tidemark-http': (place) => CosmosHttp.open(place),
  'tidemark-sdk': openTidemarkSdk,
  'tidemark-embedded': (place) => TidemarkEmbedded.open(place, 'full'),
  'tidemark-embedded-os': (place) => TidemarkEmbedded.open(place, 'os'),
  postgres: (place) => Postgres.open(place),
  redis: (place) => RedisStreams.open(place),
  nats: (place) => NatsJetStream.open(place),
  'nats-always': (place) => NatsJetStream.open(place),
  pouchdb: (place) => PouchOnLevel.open(place),
  'vercel-http': (place) => CosmosHttp.openVercel(place),
  vercel: openVercelSdk,
};

export function openSubject(id: ContestantId, place: SubjectPlace): Promise<Subject> {
  return openers[id](place);
}
