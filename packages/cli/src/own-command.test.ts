import { expect, test } from 'vitest';
import { ownCommand } from './own-command.ts';

test.each([
  [{}, 'tidemark'],
  [{ npm_command: 'exec' }, 'npx tidemark'],
  [{ npm_command: 'start', npm_lifecycle_event: 'start' }, 'npx tidemark'],
  [{ npm_command: 'run-script' }, 'npx tidemark'],
])('with %j it is run again as %s', (environment, command) => {
  expect(ownCommand(environment)).toBe(command);
});
