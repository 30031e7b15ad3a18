// A host: a processor of this library, or one with the rules of .NET, with a handler that its parent holds by the hand.

import { RestClient, RestFeedSource, RestStore } from '@tidemark/processor';
import { DotnetHost } from '@tidemark/testing';
import { HeldHandler, now, say } from './held-handler.ts';
import type { HostCommand, HostConfig } from './host-protocol.ts';

interface Host {
  start(): Promise<void>;
  stop(): Promise<void>;
}

const config = JSON.parse(process.argv[2] ?? '') as HostConfig;
const handler = new HeldHandler(config);
const host = makeDotnetHost();

// Nobody is left to talk to.
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => void stop());
process.on('message', ({ command }: HostCommand) => {
  if (command === 'stop') void stop();
  else void handler[command]();
});

try {
  await host.start();
  await say({ type: 'started' });
} catch (error) {
  const { code = 'none' }: { code?: string } = Object(error);
  await say({ type: 'failed', code, text: String(error) });
}

async function stop(): Promise<void> {
  await host.stop();
  await say({ type: 'stopped' });
  process.exit(0);
}

function clientOf(endpoint: string): RestClient {
  return new RestClient({ endpoint, credential: { key: config.key } });
}

function makeDotnetHost(): Host {
  const { database, container, leaseContainer, isManual } = config;
  const opened = new Set<string>();
  return new DotnetHost({
    ...config,
    source: new RestFeedSource(clientOf(config.endpoint), database, container),
    store: new RestStore(clientOf(config.leaseEndpoint), database, leaseContainer),
    clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now(), sleep },
    start: 'beginning',
    pollMs: 100,
    isManual,
    handler: (changes, { leaseToken, checkpoint }) =>
      handler.handle(changes, { lease: leaseToken, epoch: 0, attempt: 1, signal: undefined, checkpoint }),
    onAcquired: (lease) => {
      opened.add(lease);
      void say({ type: 'opened', lease, epoch: 0, at: now() });
    },
    onReleased: (lease, { kind }) => void say({ type: 'closed', lease, epoch: 0, reason: kind, at: now() }),
    onError: (error, lease) => void say({ type: 'event', name: 'error', lease, text: String(error) }),
  });
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish, { once: true });
  });
}
