import { DatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import type { Settings } from './settings.ts';
import { explainStart } from './start-failure.ts';

const settings = { port: 8081, host: '127.0.0.1', data: '/srv/tidemark' } as Settings;

test.each<[string, DatabaseError | NodeJS.ErrnoException, string]>([
  ['a damaged log', new DatabaseError('corrupt', 'Corrupt data in segments/00000001.seg.'), 'tidemark restore BACKUP'],
  ['a damaged log', new DatabaseError('corrupt', 'Corrupt data in segments/00000001.seg.'), '/srv/tidemark'],
  ['a foreign folder', new DatabaseError('folder-foreign', 'The file TIDEMARK is damaged.'), '/srv/tidemark'],
  ['a folder in use', new DatabaseError('folder-in-use', 'The folder is open in process 1.'), '--data FOLDER'],
  ['a port in use', Object.assign(new Error('listen'), { code: 'EADDRINUSE' }), 'Port 8081 is taken'],
  ['a port in use', Object.assign(new Error('listen'), { code: 'EADDRINUSE' }), 'needs --memory or --data FOLDER'],
  ['a folder that cannot be made', Object.assign(new Error('no such'), { code: 'ENOENT' }), 'The data folder /srv/'],
])('a start that is refused because of %s says what to do', (_title, error, said) => {
  expect(explainStart(error, settings, 'tidemark')).toContain(said);
});

test('a folder that has been named is not named again', () => {
  const message = "The folder /srv/tidemark is not Tidemark's.";

  expect(explainStart(new DatabaseError('folder-foreign', message), settings, 'tidemark')).toBe(message);
});
