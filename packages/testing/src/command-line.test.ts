import { expect, test } from 'vitest';
import { parseCommandLine, UsageError } from './command-line.ts';

const line = {
  usage: '',
  values: { kills: '2000', seed: undefined },
  numbers: ['kills'],
  switches: { verbose: false, shrink: true },
} as const;

test('flags have what was said, or what they have without it', () => {
  const none = parseCommandLine(line, []);
  expect([none.number('kills'), none.text('seed'), none.isOn('verbose'), none.isOn('shrink')]).toEqual([
    2000,
    undefined,
    false,
    true,
  ]);
  const all = parseCommandLine(line, ['--kills', '7', '--seed=x y', '--verbose', '--no-shrink']);
  expect([all.number('kills'), all.text('seed'), all.isOn('verbose'), all.isOn('shrink')]).toEqual([
    7,
    'x y',
    true,
    false,
  ]);
});

test.each([[['--kills', 'many']], [['--kills', '-1']], [['--kils', '1']], [['12']], [['--verbose=1']], [['--kills']]])(
  '%j is refused',
  (args) => {
    expect(() => parseCommandLine(line, args)).toThrow(UsageError);
  },
);
