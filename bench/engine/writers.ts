// All who write: Tidemark with one range and with four, and LMDB, each in a process of its own.

import { showProgress } from '../common/progress.ts';
import type { Setting } from './setting.ts';
import { placeOf } from './setting.ts';
import type { Subject } from './subject.ts';
import { WriterProcess } from './writer-process.ts';

export interface Writers {
  /** In a hurry one range must do: the floors are those of both. */
  readonly subjects: readonly (readonly [name: string, process: WriterProcess])[];
  readonly lmdb: WriterProcess;
}

/** The databases of this process are closed meanwhile, and have what was written when this resolves. */
export async function withWriters(setting: Setting, use: (writers: Writers) => Promise<void>): Promise<void> {
  const { options, one, four } = setting;
  showProgress(`loading ${options.documents} documents into LMDB`);
  const lmdb = await WriterProcess.start('lmdb', placeOf(options, 'lmdb'), options.documents);
  try {
    await withSubject(one, (first) =>
      options.isQuick
        ? use({ subjects: [['1 range', first]], lmdb })
        : withSubject(four, (second) => {
            const subjects = [['1 range', first] as const, ['4 ranges', second] as const];
            return use({ subjects, lmdb });
          }),
    );
  } finally {
    await lmdb.close();
  }
}

async function withSubject(subject: Subject, use: (process: WriterProcess) => Promise<void>): Promise<void> {
  await subject.whileClosed(async () => {
    const process = await WriterProcess.start('tidemark', subject.folder, subject.count);
    try {
      await use(process);
    } finally {
      await process.close();
      subject.count = process.count;
    }
  });
}
