import { expect, test } from 'vitest';
import { SharedCall } from './shared-call.ts';

interface Call {
  readonly signal: AbortSignal;
  resolve(value: string): void;
  reject(error: unknown): void;
}

function setUp(): { readonly shared: SharedCall<string>; readonly calls: Call[] } {
  const calls: Call[] = [];
  const shared = new SharedCall<string>(
    (signal) =>
      new Promise((resolve, reject) => {
        calls.push({ signal, resolve, reject });
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  return { shared, calls };
}

test('whoever gives up first does not disturb the others', async () => {
  const { shared, calls } = setUp();
  const first = new AbortController();
  const given = shared.get(first.signal);
  const other = shared.get(new AbortController().signal);

  first.abort(new Error('the first'));
  await expect(given).rejects.toThrow('the first');
  calls[0]?.resolve('id');

  expect(await other).toBe('id');
  expect(await shared.get()).toBe('id');
  expect(calls.length).toBe(1);
});

test('[I11] when nobody is left the call is given up, and the next one begins anew', async () => {
  const { shared, calls } = setUp();
  const first = new AbortController();
  const given = shared.get(first.signal);

  first.abort(new Error('the first'));
  await expect(given).rejects.toThrow('the first');
  expect(calls[0]?.signal.aborted).toBe(true);

  const again = shared.get();
  calls[1]?.resolve('id');
  expect(await again).toBe('id');
});

test('a failure is told to all who wait, and is not remembered', async () => {
  const { shared, calls } = setUp();
  const both = [shared.get(), shared.get()];

  calls[0]?.reject(new Error('away'));
  for (const each of both) await expect(each).rejects.toThrow('away');

  const again = shared.get();
  calls[1]?.resolve('id');
  expect(await again).toBe('id');
});
