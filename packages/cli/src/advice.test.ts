import { DatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import { explainAnswer } from './advice.ts';

const refused = new DatabaseError('unauthorized', 'The wrong key is being used.');

test('a refused key is called the well-known one only where no other was given', () => {
  const environment = { COSMOS_CONNECTION_STRING: 'AccountEndpoint=http://127.0.0.1:1/;AccountKey=abc==;' };

  expect(explainAnswer(refused, ['tail', 'a/b'], {})).toContain('TIDEMARK_KEY is not set');
  expect(explainAnswer(refused, ['tail', 'a/b'], environment)).toContain('or the connection string, has to hold');
  expect(explainAnswer(refused, ['tail', 'a/b', '--endpoint', 'x'], environment)).toContain('TIDEMARK_KEY is not set');
});
