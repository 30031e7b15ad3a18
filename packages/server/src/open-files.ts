// How many files the process may have open. Connections count as files, and must leave enough of them to the database.

import { readFileSync } from 'node:fs';

/** The part of all files that may be connections. */
const connectionsShare = 0.8;

/** Where the system does not say it in a file: what macOS allows a process at the least. */
const openFilesAssumed = 10_240;

/**
 * What Node and a small database need beside connections. When the log finds no file for its next segment, it can write no more;
 * clients that do nothing but connect must not bring it there.
 */
const otherFilesMin = 64;

export function connectionsAllowed(wanted: number, openFiles: number = openFilesMax()): number {
  const left = Math.max(1, openFiles - otherFilesMin);
  return Math.min(wanted, left, Math.floor(openFiles * connectionsShare));
}

function openFilesMax(): number {
  let text: string;
  try {
    text = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return openFilesAssumed; // Only Linux has it.
  }
  const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(text) ?? [];
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || openFilesAssumed;
}
