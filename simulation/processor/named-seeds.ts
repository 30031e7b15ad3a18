// Seeds outside of the fixed range that have failed, by the cause of it: defects of the processor, each with a scenario of its own, and wrong
// judgements of the simulation.

export interface NamedSeeds {
  readonly cause: string;
  readonly seeds: readonly number[];
}

export const namedSeeds: readonly NamedSeeds[] = [
  {
    cause: 'a timer was armed after a pump had ended',
    seeds: [10004471, 10009306, 20001913, 5001945, 5002051, 73928358, 73942105],
  },
  {
    cause: 'two leases of the same keys ended because of each other',
    seeds: [20014026],
  },
  {
    cause: 'a lease that was made again over a tombstone fell back in epoch and position',
    seeds: [10004952, 10011513, 20014190, 20009044],
  },
  {
    cause: 'a deleted lease was made again while its owner, cut off or frozen, still held it',
    seeds: [20012905, 73947383],
  },
  {
    cause: 'the oracle forgot what had become of a lease when its document was removed',
    seeds: [20002547, 5001215, 73934158, 73942295, 73947210],
  },
  {
    cause: 'a change from before the group, read from the start again, came after a later one of its key',
    seeds: [20005723, 20010306, 5002095, 73941394],
  },
  {
    cause: 'what was finished above a refused position comes again, also from the next owner',
    seeds: [20000177, 20001895, 20004503, 73927028, 73941115, 73941307],
  },
  {
    cause: 'the container of the world named the direct parents of a range, and not all its ancestors',
    seeds: [10003375, 10004333, 5001258, 73941305],
  },
  {
    cause: 'a range was missed although its observer was still opening',
    seeds: [10005919, 20005644],
  },
  {
    cause: 'a takeover was judged by token and name: the lease was merged away, or a namesake had it',
    seeds: [20008409, 30000992, 73924174, 73939182],
  },
  {
    cause: 'a deleted lease was made again by the host that finished the split which had made it',
    seeds: [768580252776],
  },
  {
    cause: 'a feed that says again and again that a range is gone which exists was told of by nobody',
    seeds: [768580255319],
  },
  {
    cause: 'a tombstone whose removal was refused once for wrong credentials was never tried again',
    seeds: [768580261839],
  },
  {
    cause: 'an observer was not told of the end where a stop had no time left for it',
    seeds: [911277349480],
  },
  {
    cause: 'a lease that was deleted again at once was made a third time beside its owner',
    seeds: [1640288112001],
  },
];
