// Things seldom go wrong alone. A knot is a few faults of one host within a minute: something makes its ranges slow to open, to handle or
// to close, something ends them, and something comes on top while they end. Every transition of a tenure needs one that brings it about.

import type { Chance, Fault, FaultKind } from '@tidemark/processor/testing';

export interface PlannedTurn {
  readonly atMs: number;
  readonly kind: 'split' | 'merge';
  /** From 0 to 1: which of the ranges that are there by then. */
  readonly which: number;
}

interface Strand {
  readonly kinds: readonly (FaultKind | PlannedTurn['kind'])[];
  /** Of the knot, in seconds. */
  readonly atSeconds: readonly [number, number];
  readonly lastsSeconds: readonly [number, number];
  readonly port?: Fault['port'];
  /** 1 where it is missing. */
  readonly share?: number;
  /** At the neighbour of the host. */
  readonly isAtOther?: boolean;
}

type Knot = readonly Strand[];

const longest = [60, 75] as const;

const slowObserver: Strand = { kinds: ['observer-slow'], atSeconds: [0, 0], lastsSeconds: longest };
const slowHandler: Strand = { kinds: ['handler-slow'], atSeconds: [0, 0], lastsSeconds: longest };
/** The neighbour goes, and its ranges come. */
const heirloom: Strand = { kinds: ['stop-start'], atSeconds: [1, 3], lastsSeconds: [20, 40], isAtOther: true };

function strand(kinds: Strand['kinds'], from: number, to: number, port?: Fault['port']): Strand {
  return { kinds, atSeconds: [from, to], lastsSeconds: longest, port };
}

function deletion(from: number, to: number): Strand {
  return { kinds: ['lease-deleted'], atSeconds: [from, to], lastsSeconds: [1, 1] };
}

const knots: readonly Knot[] = [
  // Ranges come to a host whose observer opens slowly, or not at all.
  [slowObserver, heirloom, strand(['stop-start'], 4, 20)],
  [slowObserver, heirloom, strand(['pause'], 4, 20)],
  [slowObserver, heirloom, strand(['freeze'], 3, 15)],
  [slowObserver, heirloom, strand(['twin', 'join-leave'], 3, 15)],
  [slowObserver, heirloom, deletion(5, 12), deletion(8, 16), deletion(12, 20)],
  // The observer closes slowly.
  [slowObserver, strand(['pause', 'handler-fatal', 'position-refused'], 2, 4), strand(['stop-start'], 3, 14)],
  [slowObserver, strand(['pause', 'handler-fatal', 'position-refused'], 2, 4), strand(['freeze'], 3, 10)],
  [slowObserver, strand(['pause', 'handler-fatal', 'position-refused'], 2, 4), deletion(3, 8), deletion(3, 8)],
  [
    slowObserver,
    strand(['handler-throws'], 0, 0),
    strand(['partition-store'], 2, 4),
    strand(['handler-fatal', 'position-refused'], 30, 48),
  ],
  // Handlers are slow to finish when their range ends.
  [slowHandler, strand(['handler-fatal'], 1, 3), strand(['stop-start'], 3, 15)],
  [slowHandler, strand(['position-refused'], 1, 3), strand(['stop-start'], 3, 15)],
  [slowHandler, strand(['handler-fatal', 'position-refused'], 1, 3), strand(['pause'], 3, 15)],
  [slowHandler, strand(['unavailable'], 1, 3, 'feed'), strand(['stop-start'], 20, 35)],
  [slowHandler, strand(['unavailable'], 1, 3, 'feed'), strand(['stop-start'], 30, 50)],
  [slowHandler, strand(['unavailable'], 1, 3, 'feed'), strand(['pause'], 20, 40)],
  [slowHandler, strand(['partition-store'], 1, 3), strand(['stop-start'], 25, 55)],
  [slowHandler, strand(['stop-start', 'pause'], 1, 3), strand(['twin', 'freeze'], 3, 12)],
  // They do not finish at all.
  [strand(['handler-hangs'], 0, 0), strand(['pause', 'stop-start'], 40, 61)],
  // The store is slow while ranges are replaced.
  [
    { ...strand(['slow'], 0, 0, 'store'), share: 0.3 },
    strand(['split'], 2, 3),
    strand(['split'], 2, 3),
    strand(['split'], 2, 3),
    strand(['stop-start'], 3, 10),
    { ...heirloom, atSeconds: [3, 10] },
  ],
  [
    { ...strand(['slow'], 0, 0, 'store'), share: 0.6 },
    strand(['split'], 2, 3),
    strand(['split'], 2, 3),
    strand(['freeze'], 3, 10),
  ],
];

const killed: Strand['kinds'] = ['kill', 'kill-same-name', 'kill-new-name'];

/** Leases that end, whose owners die meanwhile, and which somebody deletes when nobody is left who knows where they were. */
export const successionKnots: readonly Knot[] = [
  [
    { ...strand(['slow'], 0, 0, 'store'), share: 0.6 },
    strand(['split'], 2, 3),
    strand(['split'], 2, 4),
    strand(killed, 3, 9),
    { ...strand(killed, 4, 20), isAtOther: true },
    deletion(4, 12),
    deletion(8, 20),
  ],
  [
    { ...strand(['late-request', 'lost-response'], 0, 0, 'store'), share: 0.4 },
    strand(['merge'], 2, 3),
    strand(['split'], 4, 8),
    strand(killed, 3, 10),
    strand(['split'], 8, 16),
    deletion(6, 20),
  ],
  [
    strand(killed, 1, 3),
    { ...strand(killed, 1, 3), isAtOther: true },
    deletion(2, 4),
    deletion(3, 6),
    deletion(4, 8),
    deletion(5, 30),
  ],
];

export interface DrawnKnots {
  readonly faults: readonly Fault[];
  readonly turns: readonly PlannedTurn[];
}

export function drawKnots(
  chance: Chance,
  count: number,
  hosts: number,
  untilMs: number,
  choice: readonly Knot[] = knots,
): DrawnKnots {
  const drawn = Array.from({ length: count }, () => drawKnot(chance, hosts, untilMs, choice));
  return { faults: drawn.flatMap(({ faults }) => faults), turns: drawn.flatMap(({ turns }) => turns) };
}

function drawKnot(chance: Chance, hosts: number, untilMs: number, choice: readonly Knot[]): DrawnKnots {
  const knot = chance.pick(choice);
  const host = chance.int(hosts);
  const lengthMs = 1000 * Math.max(...knot.map(({ atSeconds: [, to] }) => to));
  const beginMs = chance.between(12_000, untilMs - lengthMs);
  const faults: Fault[] = [];
  const turns: PlannedTurn[] = [];
  for (const { kinds, atSeconds, lastsSeconds, port, isAtOther, share = 1 } of knot) {
    const kind = chance.pick(kinds);
    const atMs = Math.floor(beginMs + 1000 * chance.between(...atSeconds));
    const durationMs = Math.floor(1000 * chance.between(...lastsSeconds));
    if (kind === 'split' || kind === 'merge') turns.push({ atMs, kind, which: chance.float() });
    else {
      // Of leases it is the number of one of them.
      const at = kind === 'lease-deleted' ? chance.int(8) : (host + (isAtOther === true ? 1 : 0)) % hosts;
      faults.push({ kind, atMs, durationMs, host: at, port, share });
    }
  }
  return { faults, turns };
}
