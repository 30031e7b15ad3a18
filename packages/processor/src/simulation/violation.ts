// What an oracle says: which invariant was broken, when and how.

export type InvariantId = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8' | 'I9' | 'I10' | 'I11' | 'I12' | 'I13';

export interface Violation {
  readonly invariant: InvariantId;
  readonly timeMs: number;
  readonly message: string;
}

export type Report = (invariant: InvariantId, message: string) => void;
