// The limits of the service, by name and with their source. A number that two places must agree on lives here.

/** Wire 7: 2 097 152 bytes of UTF-8 JSON per document, else 413. */
export const documentBytesMax: number = 2 * 1024 * 1024;

/** Wire 7: levels of nesting in a document. */
export const documentDepthMax = 128;

/** Wire 4: UTF-8 bytes of a document id. */
export const documentIdBytesMax = 1023;

/** Wire 4: characters of the name of a database, container, user, script and the like. */
export const resourceNameCharsMax = 255;

/** Wire 8: operations in a transactional batch or a bulk request. */
export const batchOperationsMax = 100;

/** Wire 8: bytes of a batch request. */
export const batchBytesMax: number = 2 * 1024 * 1024;

/** Wire 7: operations in a patch. */
export const patchOperationsMax = 10;

/** Wire 7: UTF-8 bytes of one partition key value, in either version. */
export const partitionKeyBytesMax = 2048;

/** Service documentation: the same in version 1. The service takes more (wire 7), but the processor does not rely on it. */
export const partitionKeyBytesMaxV1 = 101;

/** Wire 6: levels of a hierarchical partition key. */
export const partitionKeyPathsMax = 3;

/** Wire 6: seconds; the largest signed 32-bit number. */
export const ttlSecondsMax = 2_147_483_647;

/** Service documentation: paths of one unique key, and unique keys of one container. */
export const uniqueKeyPathsMax = 16;
export const uniqueKeysMax = 10;

/** Wire 9: a range for every 6,000 request units a second. */
export const throughputPerRange = 6_000;

/** Service documentation: request units a second, manual and as the maximum of autoscale. */
export const throughputMin = 400;
export const throughputMax = 1_000_000;
export const throughputStep = 100;
export const autoscaleMin = 1_000;
export const autoscaleStep = 1_000;
