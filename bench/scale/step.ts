// What is known of the database at one size.

import type { Measured } from './messages.ts';

export interface Step extends Measured {
  /** Each time it was opened after a kill at this size. */
  readonly opens: readonly { readonly openMs: number; readonly processorMs: number }[];
}
