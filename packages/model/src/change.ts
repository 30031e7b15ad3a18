// The unit of the change feed as a user sees it. Which of the two shapes arrives depends on the mode that was asked for.

/** A stored document with its system properties. */
export interface StoredDocument {
  readonly id: string;
  readonly _rid: string;
  readonly _self: string;
  readonly _etag: string;
  /** Seconds since 1970. */
  readonly _ts: number;
  readonly [name: string]: unknown;
}

/** Latest version mode: the document as it is now, and the LSN of its latest write. Deleted documents do not appear. */
export type LatestChange<Document extends StoredDocument = StoredDocument> = Document & { readonly _lsn: number };

/** The same in an envelope, as clients get it that ask for one: `_lsn` is in the metadata. */
export interface WrappedChange<Document extends StoredDocument = StoredDocument> {
  readonly current: Document;
  readonly metadata: VersionMetadata;
}

export type OperationType = 'create' | 'replace' | 'delete';

interface VersionMetadata {
  /** Equal for all changes of one transaction. */
  readonly lsn: number;
  /** Time of the commit, seconds since 1970, always above 0. */
  readonly crts: number;
}

export interface CreateChange<Document extends StoredDocument = StoredDocument> {
  readonly current: Document;
  readonly metadata: VersionMetadata & { readonly operationType: 'create' };
}

/** An upsert of an existing document and a patch are replaces too. */
export interface ReplaceChange<Document extends StoredDocument = StoredDocument> {
  readonly current: Document;
  /** Only if the container keeps previous images. */
  readonly previous?: Document;
  readonly metadata: VersionMetadata & {
    readonly operationType: 'replace';
    /** LSN of the version that was replaced. */
    readonly previousImageLSN: number;
  };
}

export interface DeleteChange<Document extends StoredDocument = StoredDocument> {
  /** Wire: an empty object, neither null nor absent; clients look into it (wire 11.7). */
  readonly current: Readonly<Record<string, never>>;
  readonly previous?: Document;
  readonly metadata: VersionMetadata & {
    readonly operationType: 'delete';
    readonly previousImageLSN: number;
    /** Only where the document went because its time was over. */
    readonly timeToLiveExpired?: true;
    readonly id: string;
    /** Value of each partition key path, under the path without its leading slash. */
    readonly partitionKey: Readonly<Record<string, unknown>>;
  };
}

/** All versions and deletes mode: every version, told apart by `metadata.operationType`. */
export type VersionChange<Document extends StoredDocument = StoredDocument> =
  | CreateChange<Document>
  | ReplaceChange<Document>
  | DeleteChange<Document>;

export function isCreate<Document extends StoredDocument>(
  change: VersionChange<Document>,
): change is CreateChange<Document> {
  return change.metadata.operationType === 'create';
}

export function isReplace<Document extends StoredDocument>(
  change: VersionChange<Document>,
): change is ReplaceChange<Document> {
  return change.metadata.operationType === 'replace';
}

export function isDelete<Document extends StoredDocument>(
  change: VersionChange<Document>,
): change is DeleteChange<Document> {
  return change.metadata.operationType === 'delete';
}
