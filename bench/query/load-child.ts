// The load of one contestant, in a process of its own: no other's garbage, and no other's compiled code.

import type { Drive } from '../common/drive.ts';
import { drive } from '../common/drive.ts';
import { chanceOf } from '../engine/chance.ts';
import type { Answer, Ask, LoadConfig } from './load-protocol.ts';
import type { QuestionId } from './questions.ts';
import { openSubject } from './subjects/open.ts';
import type { Subject } from './subjects/subject.ts';

const pointsInFlight = 16;

const config = JSON.parse(process.argv[2] ?? '') as LoadConfig;
const chance = chanceOf(42);
const opening = openSubject(config.id, config);
// Whoever asks for it first is told.
opening.catch(() => {});

// Without its parent it has nobody to work for.
process.on('disconnect', () => void end());
process.on('message', (ask: Ask) => {
  const say = (answer: Answer): void => void process.send?.(answer);
  answerTo(ask).then(say, (error: unknown) => say({ kind: 'failed', message: messageOf(error) }));
});
process.send?.({ kind: 'done' } satisfies Answer);

async function answerTo(ask: Ask): Promise<Answer> {
  const subject = await opening;
  switch (ask.kind) {
    case 'fill':
      await subject.fill?.(config.documents);
      return { kind: 'done' };
    case 'answer':
      return { kind: 'answer', answer: await subject.ask(ask.question) };
    case 'turn':
      return { kind: 'turn', drive: await takeTurn(subject, ask.question, ask.turnMs) };
  }
}

async function takeTurn(subject: Subject, question: QuestionId, turnMs: number): Promise<Drive> {
  if (question === 'point') {
    return drive({ writers: pointsInFlight, turnMs }, async () => {
      const n = chance(config.documents);
      if ((await subject.point(n)) === undefined) throw new Error(`Document ${n} is missing.`);
    });
  }
  const driven = await drive({ writers: 1, turnMs }, () => subject.ask(question));
  return { ...driven, operations: driven.operations * config.documents };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function end(): Promise<void> {
  try {
    await (await opening)[Symbol.asyncDispose]();
  } finally {
    process.exit(0);
  }
}
