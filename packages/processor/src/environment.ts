// What this package takes from outside: time, chance, waiting and the network, as the client does. Nothing else reads them from the process.

export type { Clock, Environment, Ground } from '@tidemark/client';
export { notNeeded } from '@tidemark/client';

/** Where a container is, for people and for what they are told to look at. */
export interface ContainerPlace {
  readonly endpoint: string;
  /** `shop/orders`. */
  readonly container: string;
  /** When it is not there: the one that was probably meant. */
  readonly near?: (signal: AbortSignal) => Promise<string | undefined>;
}
