// The load of one contestant, in a process of its own: no other's garbage, and no other's compiled code.

import type { Answer, Ask, LoadConfig } from './load-protocol.ts';
import { fill } from './measure/fill.ts';
import { Numbers } from './measure/numbers.ts';
import { takeTurn } from './measure/turn.ts';
import { openSubject } from './subjects/open.ts';
import type { Subject } from './subjects/subject.ts';

const config = JSON.parse(process.argv[2] ?? '') as LoadConfig;
let subject: Subject | undefined;
let numbers: Numbers | undefined;

// Without its parent it has nobody to work for.
process.on('disconnect', () => void end());
process.on('message', (ask: Ask) => {
  const say = (answer: Answer): void => void process.send?.(answer);
  answerTo(ask).then(say, (error: unknown) => {
    say({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
});

async function answerTo(ask: Ask): Promise<Answer> {
  if (ask.kind === 'fill') {
    const opened = await openSubject(config.id, config);
    subject = opened;
    numbers = new Numbers(config.documents, opened.pieces, (n) => opened.pieceOf(n));
    await fill(opened, config.documents);
    return { kind: 'done' };
  }
  if (subject === undefined || numbers === undefined) throw new Error('Nothing has been filled.');
  return { kind: 'turn', turn: await takeTurn(ask.work, subject, numbers, ask.options) };
}

async function end(): Promise<void> {
  try {
    await subject?.[Symbol.asyncDispose]();
  } finally {
    process.exit(0);
  }
}
