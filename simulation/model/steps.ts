// What a random history is made of, and how often each step comes.

const weights = {
  unit: 50,
  many: 12,
  advance: 6,
  jump: 2,
  split: 2,
  merge: 1.5,
  sweep: 2,
  purge: 1.5,
  purgeJob: 1.5,
  trim: 2,
  history: 0.3,
  compact: 2,
  compactUnderWrites: 1.5,
  compactUnderReads: 1,
  settle: 1,
  reopen: 3,
  backup: 0.5,
  restore: 0.5,
} as const;

type Step = keyof typeof weights;

export const stepsByWeight: readonly Step[] = (Object.entries(weights) as [Step, number][]).flatMap(([step, weight]) =>
  new Array<Step>(Math.ceil(weight * 10)).fill(step),
);
