// Backups, checks, and how far they have come.

import { join } from 'node:path';
import { DatabaseError } from '@tidemark/model';
import type { CosmosResponse } from '../../response.ts';
import type { AdminContext } from '../admin-handler.ts';
import { adminResponse } from '../admin-handler.ts';
import type { AdminRequest } from '../admin-request.ts';
import { membersOf, textMember } from '../admin-request.ts';
import type { Job } from '../jobs.ts';

/**
 * A name, never a path: the key opens the database, not the machine that it runs on. Whoever started the server has said
 * where backups go.
 */
const backupName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export function startBackup(request: AdminRequest, { database, jobs, backupFolder }: AdminContext): CosmosResponse {
  const { name: given } = membersOf(request, ['name']);
  if (backupFolder === undefined) {
    throw new DatabaseError(
      'forbidden',
      'Backups are off: start the server with --backup-folder DIR to say where they go.',
    );
  }
  const name = textMember('name', given) ?? new Date().toISOString().replace(/[:.]/g, '-');
  if (!backupName.test(name)) {
    const message = `The 'name' of a backup has up to 100 letters, digits, dots, dashes and underscores, and begins with one of the first two.`;
    throw new DatabaseError('bad-request', message);
  }
  const folder = join(backupFolder, name);
  const job = jobs.start('backup', async (control) => {
    const result = await database.backup(folder, control);
    return { name, folder, ...result };
  });
  return accepted(job);
}

export function startCheck(request: AdminRequest, { database, jobs }: AdminContext): CosmosResponse {
  membersOf(request, []);
  return accepted(jobs.start('check', (control) => database.check(control)));
}

export function listJobs(_: AdminRequest, { jobs }: AdminContext): CosmosResponse {
  return adminResponse(200, { jobs: jobs.all, count: jobs.all.length });
}

export function readJob({ parameters }: AdminRequest, { jobs }: AdminContext): CosmosResponse {
  const { job: id = '' } = parameters;
  const job = jobs.find(id);
  if (job !== undefined) return adminResponse(200, job);
  throw new DatabaseError('not-found', `There is no job ${id}, or it ended too long ago.`);
}

function accepted(job: Job): CosmosResponse {
  const response = adminResponse(202, job);
  return { ...response, headers: [...response.headers, 'location', `/_tidemark/jobs/${job.id}`] };
}
