// A host: a processor of this library, or one with the rules of .NET, with a handler that its parent holds by the hand.

import { RestClient, systemEnvironment } from '@tidemark/client';
import type { ProcessorEvent, RangeContext } from '@tidemark/processor';
import { createProcessor, RestFeedSource, RestStore } from '@tidemark/processor';
// Not through its index, which loads a test runner that every host would have to load too.
import { DotnetHost } from '../../packages/testing/src/dotnet-host/dotnet-host.ts';
import { HeldHandler, now, say } from './held-handler.ts';
import type { HostCommand, HostConfig } from './host-protocol.ts';

interface Host {
  start(): Promise<void>;
  stop(): Promise<void>;
}

const config = JSON.parse(process.argv[2] ?? '') as HostConfig;
const handler = new HeldHandler(config);
const host = config.rules === 'tidemark' ? makeHost() : makeDotnetHost();
let stopping: Promise<void> | undefined;

// Nobody is left to talk to.
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => void stop());
process.on('message', ({ command }: HostCommand) => {
  if (command === 'stop') void stop();
  else void handler[command]();
});

await say({ type: 'event', name: 'alive', lease: undefined, text: '' });
try {
  await host.start();
  await say({ type: 'started' });
} catch (error) {
  const { code = 'none' }: { code?: string } = Object(error);
  await say({ type: 'failed', code, text: String(error) });
}

function stop(): Promise<void> {
  // Asked again, it is asked again: the processor itself has to bear it.
  const again = host.stop();
  stopping ??= again.then(async () => {
    await say({ type: 'stopped' });
    process.exit(0);
  });
  return stopping;
}

function clientOf(endpoint: string): RestClient {
  return new RestClient({ endpoint, credential: { key: config.key } });
}

function makeHost(): Host {
  const { key, database, name, instance, itemsMax, isManual, expirationMs, drainMs } = config;
  const processor = createProcessor({
    source: { endpoint: config.endpoint, key, database, container: config.container },
    leases: { endpoint: config.leaseEndpoint, key, database, container: config.leaseContainer },
    name,
    instance,
    start: 'beginning',
    itemsMax,
    checkpoint: isManual ? 'manual' : 'every-batch',
    leaseRenewMs: config.renewMs,
    leaseAcquireMs: config.acquireMs,
    leaseExpirationMs: expirationMs,
    fenceMarginMs: expirationMs / 5,
    handoffMs: expirationMs,
    joinMs: config.acquireMs / 4,
    observer: {
      open: ({ leaseToken, epoch }: RangeContext) => say({ type: 'opened', lease: leaseToken, epoch, at: now() }),
      changes: (changes, { leaseToken, epoch, attempt, position, signal, checkpoint }) =>
        handler.handle(changes, { lease: leaseToken, epoch, attempt, position, signal, checkpoint }),
      close: ({ leaseToken, epoch }: RangeContext, reason) =>
        say({ type: 'closed', lease: leaseToken, epoch, reason, at: now() }),
    },
    onEvent: (event: ProcessorEvent) => {
      if (event.type === 'checkpoint')
        void say({ type: 'event', name: event.type, lease: event.leaseToken, text: event.position });
      if (event.type === 'health') {
        const text = `${event.problem}: ${event.message}`;
        void say({ type: 'event', name: event.type, lease: event.leaseToken, text });
      }
    },
  });
  return { start: () => processor.start(), stop: () => processor.stop({ drainMs }) };
}

function makeDotnetHost(): Host {
  const { database, container, leaseContainer, isManual } = config;
  return new DotnetHost({
    ...config,
    source: new RestFeedSource(clientOf(config.endpoint), database, container),
    store: new RestStore(clientOf(config.leaseEndpoint), database, leaseContainer),
    clock: systemEnvironment().clock,
    start: 'beginning',
    pollMs: 100,
    isManual,
    handler: (changes, { leaseToken, checkpoint }) =>
      handler.handle(changes, { lease: leaseToken, epoch: 0, attempt: 1, position: '', signal: undefined, checkpoint }),
    onAcquired: (lease) => {
      void say({ type: 'opened', lease, epoch: 0, at: now() });
    },
    onReleased: (lease, { kind }) => void say({ type: 'closed', lease, epoch: 0, reason: kind, at: now() }),
    onError: (error, lease) => void say({ type: 'event', name: 'error', lease, text: String(error) }),
  });
}
