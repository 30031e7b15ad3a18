// A change as handlers see it. In mode `latest` handlers get documents; in mode `all-versions` they get the union below.

/** System properties that every document of a feed carries. */
export interface SystemProperties {
  readonly id: string;
  readonly _rid: string;
  readonly _self: string;
  readonly _etag: string;
  readonly _ts: number;
  /** The commit that made this version; rises within a range. */
  readonly _lsn: number;
}

export type ChangedDocument<T> = T & SystemProperties;

/** A document in an envelope, whose `lsn` stands beside it. */
type VersionDocument<T> = T & Omit<SystemProperties, '_lsn'>;

interface VersionFacts {
  readonly id: string;
  readonly lsn: number;
  /** Of the commit, in milliseconds; the endpoint keeps whole seconds. */
  readonly timeMs: number;
  /** LSN of the version before; undefined for the first. */
  readonly previousLsn: number | undefined;
}

/** A version of a document, or its end (F26). `expired`: deleted by its time to live. */
export type VersionChange<T> =
  | (VersionFacts & { readonly type: 'create'; readonly current: VersionDocument<T>; readonly previous: undefined })
  | (VersionFacts & {
      readonly type: 'replace';
      readonly current: VersionDocument<T>;
      readonly previous: T | undefined;
    })
  | (VersionFacts & {
      readonly type: 'delete' | 'expired';
      readonly current: undefined;
      /** The last version, where the endpoint sends it. */
      readonly previous: T | undefined;
      /** Values of the partition key, where the endpoint sends them. */
      readonly partitionKey: readonly unknown[] | undefined;
    });

/** One change on its way to a handler, with what lanes, parking and positions need to know of it. */
export interface Delivery {
  /** What the handler gets: a document or a VersionChange. */
  readonly value: unknown;
  readonly id: string;
  /** Changes of one lane key are handled in their order. The partition key by default, as canonical JSON of its values. */
  readonly laneKey: string;
  readonly lsn: number | undefined;
  readonly timeMs: number | undefined;
  /** The same for every delivery of this version and for no other: container rid, lane key, id, LSN. */
  readonly identity: string;
  /** Bytes as they came, only for what could not be parsed or failed its schema; `value` is undefined then. */
  readonly invalid?: { readonly raw: Uint8Array; readonly reason: string } | undefined;
}
