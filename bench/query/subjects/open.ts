// The subject of each contestant.

import type { ContestantId } from '../contestants.ts';
import { openTidemarkSdk, openVercelSdk } from './cosmos-sdk.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import type { Subject, SubjectPlace } from './subject.ts';
import { openEmbedded } from './tidemark-embedded.ts';

const openers: Readonly<Record<ContestantId, (place: SubjectPlace) => Promise<Subject>>> = {
  embedded: openEmbedded,
  'embedded-4': openEmbedded,
  sdk: openTidemarkSdk,
  postgres: openPostgres,
  sqlite: openSqlite,
  vercel: openVercelSdk,
};

export function openSubject(id: ContestantId, place: SubjectPlace): Promise<Subject> {
  return openers[id](place);
}
