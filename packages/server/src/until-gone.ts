// Work for one client alone, which nobody needs once that has gone away.

import type { Client } from './waiting-room.ts';

/** The signal goes off when the client goes away. */
export async function untilGone<T>(client: Client, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  client.on('close', leave);
  try {
    return await work(gone.signal);
  } finally {
    client.removeListener('close', leave);
  }
}
