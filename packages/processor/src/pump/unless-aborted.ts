// Waiting for something that may not obey its signal: whoever is aborted does not wait for it.

/** Settles as `promise` does, or resolves with undefined as soon as `signal` aborts. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  promise.catch(() => {});
  if (signal.aborted) return undefined;
  let finish: (() => void) | undefined;
  const aborted = new Promise<undefined>((resolve) => {
    finish = () => resolve(undefined);
    signal.addEventListener('abort', finish);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (finish !== undefined) signal.removeEventListener('abort', finish);
  }
}
