// When does a lease expire? When it stayed the same for `expirationMs` while this host looked, by this host's own clock (F3). No clock of
// another machine is asked: the owner counts from before its last write, the looker from after it saw that write, so the owner's time is
// always over first.
//
// A host that could not look (frozen, store away) learns nothing from the gap about others who could not write either, so it begins to
// count anew: otherwise the first one to come back after an outage would rob everybody.

export class Sightings {
  /** One for each document of the last look. */
  #seen = new Map<string, Sighting>();
  #lastLookMs = Number.NEGATIVE_INFINITY;

  /** Takes note of a look: `sentMs` before it was asked for, `doneMs` when the answer was there. */
  look(documents: readonly { readonly id: string; readonly key: string; readonly etag: string }[], look: Look): void {
    const isGap = look.sentMs - this.#lastLookMs > look.gapMsMax;
    const seen = new Map<string, Sighting>();
    for (const { id, key, etag } of documents) {
      const name = `${id}\n${key}`;
      const before = this.#seen.get(name);
      const isSame = before !== undefined && before.etag === etag;
      if (isSame && !isGap) seen.set(name, before);
      else
        seen.set(name, {
          etag,
          sinceMs: look.doneMs,
          firstMs: isSame ? before.firstMs : look.doneMs,
          isWitnessed: !isSame && (before !== undefined || !isGap),
        });
    }
    this.#seen = seen;
    this.#lastLookMs = look.sentMs;
  }

  /** How long the document is known to be as it is. 0 when this is not what was seen. */
  unchangedMs(document: { readonly id: string; readonly key: string; readonly etag: string }, nowMs: number): number {
    const sighting = this.#seen.get(`${document.id}\n${document.key}`);
    return sighting === undefined || sighting.etag !== document.etag ? 0 : nowMs - sighting.sinceMs;
  }

  /** The same, whether or not this host could look all the time. */
  silentMs(document: { readonly id: string; readonly key: string; readonly etag: string }, nowMs: number): number {
    const sighting = this.#seen.get(`${document.id}\n${document.key}`);
    return sighting === undefined || sighting.etag !== document.etag ? 0 : nowMs - sighting.firstMs;
  }

  /** How long ago this host saw that the document was written; infinite when that was before it looked. */
  writtenMs(document: { readonly id: string; readonly key: string; readonly etag: string }, nowMs: number): number {
    const sighting = this.#seen.get(`${document.id}\n${document.key}`);
    if (sighting === undefined || sighting.etag !== document.etag || !sighting.isWitnessed)
      return Number.POSITIVE_INFINITY;
    return nowMs - sighting.sinceMs;
  }
}

export interface Look {
  readonly sentMs: number;
  readonly doneMs: number;
  /** Looks farther apart than this have a gap between them. */
  readonly gapMsMax: number;
}

interface Sighting {
  readonly etag: string;
  readonly sinceMs: number;
  /** The same, whatever gaps were in between. */
  readonly firstMs: number;
  /** It was written between two looks of this host. What was there at the first look may have been there for years. */
  readonly isWitnessed: boolean;
}
