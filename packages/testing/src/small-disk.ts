// A file system of its own, of any size, to be filled or made read-only. Mounting needs the right to do so; where it is missing, tests
// that need it are skipped with the reason.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  /** Until there is no room for another block. */
  fill(): void;
  /** Takes away what `fill` has written. */
  free(): void;
  remount(mode: 'ro' | 'rw'): void;
  unmount(): void;
}

/** Of the operating system, not of a package. */
const mountCommand = 'mount';

export function mountSmallDisk(bytes: number): SmallDisk | { readonly reason: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-test-'));
  const ballast = join(folder, 'ballast');
  try {
    execFileSync(mountCommand, ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    rmSync(folder, { recursive: true });
    return { reason: `a small file system cannot be mounted here: ${String(error).split('\n')[0]}` };
  }
  return {
    folder,
    fill: () => fillDisk(ballast),
    free: () => rmSync(ballast, { force: true }),
    remount: (mode) => void execFileSync(mountCommand, ['-o', `remount,${mode}`, folder], { stdio: 'pipe' }),
    unmount: () => {
      execFileSync(`u${mountCommand}`, ['-l', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

function fillDisk(path: string): void {
  const chunk = Buffer.alloc(64 * 1024, 1);
  for (const bytes of [chunk, chunk.subarray(0, 4_096)]) {
    try {
      for (;;) writeFileSync(path, bytes, { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}
