// What a server and the processes it has started have taken of the processors. Unlike the time of a clock it hardly depends on who else
// uses the machine. Linux only.

import { readdirSync, readFileSync } from 'node:fs';

/** Undefined where it cannot be told. What has ended counts no more. */
export function processorMsOf(pid: number): number | undefined {
  try {
    return familyOf(pid).reduce((sum, each) => sum + ownMs(each), 0);
  } catch {
    return undefined;
  }
}

function familyOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(familyOf)];
}

function ownMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce(
    (sum, task) => sum + Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    0,
  );
}
