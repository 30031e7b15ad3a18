// `tidemark check`: whether log and index agree. Exit code 1 when they do not.

import type { Call } from '../call.ts';
import { isOn } from '../call.ts';
import { connect } from '../connect.ts';
import { runJob } from '../jobs.ts';
import { folderOf, withFolder } from '../open-folder.ts';
import { ownCommand } from '../own-command.ts';
import { counted, print } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const folder = folderOf(call);
  const report: Readonly<Record<string, unknown>> =
    folder === undefined
      ? await runJob(connect(call), 'check', {})
      : await withFolder(folder, ownCommand(process.env), async (database) => ({ ...(await database.check()) }));
  const isClean = report['isClean'] === true;
  if (isOn(call, 'json')) await print(`${JSON.stringify(report)}\n`);
  else await print(textOf(report, isClean));
  return isClean ? 0 : 1;
}

function textOf(report: Readonly<Record<string, unknown>>, isClean: boolean): string {
  const of = (name: string): string => counted(Number(report[name]), name);
  const walked = ['segments', 'frames', 'records', 'documents'].map(of).join(', ');
  if (isClean) return `Clean: ${walked}.\n`;
  const problems = Array.isArray(report['problems']) ? report['problems'] : [];
  return `NOT clean: ${walked}.\n${problems.map((problem) => `  ${problem}\n`).join('')}`;
}
