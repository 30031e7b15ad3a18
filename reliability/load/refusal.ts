// What the SDK gave up on: the way of the world, or something that must not be.

/** Of these a client is told that it may come again; everything else of 400 and more is a finding. */
const passing: ReadonlySet<number> = new Set([408, 410, 429, 449, 503]);

/** Undefined where the network, the server's death or an answer that asks to come again was the reason. */
export function findingOf(error: unknown): string | undefined {
  const { code, message = '' }: { code?: unknown; message?: unknown } = Object(error);
  // A batch that failed wraps the reason into a text.
  const status = typeof code === 'number' ? code : undefined;
  if (status === undefined || status < 400 || passing.has(status)) return undefined;
  return `${status}: ${String(message).split('\n')[0]?.slice(0, 300)}`;
}

export function codeOf(error: unknown): number | undefined {
  const { code }: { code?: unknown } = Object(error);
  return typeof code === 'number' ? code : undefined;
}
