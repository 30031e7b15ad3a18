import { RestError } from '@tidemark/client';
import { DatabaseError } from '@tidemark/model';
import { expect, test } from 'vitest';
import { explainedMistake } from './mistake.ts';

function told(message: string, text: string, width = 80, substatus?: number): string {
  const error = explainedMistake(new RestError('bad-request', message, { status: 400, substatus }), text, width);
  return (error as DatabaseError).message;
}

const syntax = (start: number, end: number): string =>
  `Message: {"errors":[{"severity":"Error","location":{"start":${start},"end":${end}},"code":"SC1001","message":"Syntax error."}]}`;

test('a caret stands under the place, on the line that it is on', () => {
  expect(told(syntax(9, 13), 'SELECT * FORM c')).toBe(
    'Syntax error. (SC1001)\n  SELECT * FORM c\n           ^^^^\nDid you mean FROM?',
  );
  expect(told(syntax(18, 22), "SELECT '大阪',\n\tc.x FORM c")).toBe(
    'line 2: Syntax error. (SC1001)\n   c.x FORM c\n       ^^^^\nDid you mean FROM?',
  );
  expect(told(syntax(8, 8), 'SELECT 1')).toBe('Syntax error. (SC1001)\n  SELECT 1\n          ^');
  expect(told(syntax(7, 9), 'SELECT 大阪')).toBe('Syntax error. (SC1001)\n  SELECT 大阪\n         ^^^^');
});

test('of a line that is too long there is what is around the place', () => {
  const text = `SELECT ${'c.a, '.repeat(100)}FORM c ${'x'.repeat(200)}`;
  const at = text.indexOf('FORM');

  const [, line = '', caret = ''] = told(syntax(at, at + 4), text, 60).split('\n');

  expect(line.length).toBeLessThanOrEqual(60);
  expect(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('FORM');
});

test('places that are none, and messages of another form, stay sentences', () => {
  const foreign = new RestError('bad-request', 'One {of the} others.', { status: 400 });
  const other = new DatabaseError('unavailable', 'gone');

  expect(told(syntax(100, 104), 'SELECT 1')).toBe('Syntax error. (SC1001)');
  expect(told('Message: {"Errors":["Not allowed."]}\r\nActivityId: 1, Documents.Common/2', 'SELECT 1')).toBe(
    'Not allowed.',
  );
  expect(explainedMistake(foreign, 'SELECT 1', 80)).toBe(foreign);
  expect(explainedMistake(other, 'SELECT 1', 80)).toBe(other);
});

test('an account that leaves the merging to its clients is answered with what to say', () => {
  expect(told('Cross partition query only supports …', 'SELECT COUNT(1) FROM c', 80, 1004)).toContain(
    '--partition-key',
  );
});

test('what was probably meant stands below, once', () => {
  const unresolved = (start: number): object => ({
    code: 'SC2001',
    message: 'No.',
    location: { start, end: start + 5 },
  });
  const wire = `Message: ${JSON.stringify({ errors: [unresolved(7), unresolved(27)] })}`;

  expect(told(wire, 'SELECT total FROM c WHERE (total > 1)')).toBe(
    [
      'No. (SC2001)\n  SELECT total FROM c WHERE (total > 1)\n         ^^^^^\nDid you mean c.total?',
      'No. (SC2001)\n  SELECT total FROM c WHERE (total > 1)\n                             ^^^^^',
    ].join('\n'),
  );
});
