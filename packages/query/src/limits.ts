// What a query may be and may take. Each limit is met by users, so each says what happens beyond it.

/** UTF-16 units of the text of a query. The service documents 512 KB. */
export const queryTextMax: number = 524_288;

/**
 * How deep a query may nest: parentheses, operators, calls and subqueries. LINQ puts parentheses around each of five hundred
 * conditions, which is what the service allows; parser, binder and compiler recurse, and the stack has to bear it.
 */
export const depthMax: number = 600;

/** A subquery costs the stack as much as so many levels of expressions. */
export const subqueryDepth: number = 12;

/**
 * How large a value may become that a query makes: characters of a string, or about the bytes of the JSON of an array or object.
 * Beyond it the query fails. Without it a text of a few lines makes values that double with every line.
 */
export const valueSizeMax: number = 4 * 1024 * 1024;

/** UTF-16 units of an expression of RegexMatch; matching takes as long as text and expression multiplied. */
export const patternMax: number = 32_768;

/** How many rows the subqueries and joins of one document may make. Beyond it the query fails, since nobody else has a turn meanwhile. */
export const rowsPerDocumentMax: number = 1_000_000;

/** Of one FROM, as in the service today. */
export const joinsMax: number = 10;

/** Of one query, as in the service. */
export const udfCallsMax: number = 10;

/**
 * What LIKE, RegexMatch and the spatial functions may compute for one document: about half a second. A step is a character of a text
 * compared with a part of a pattern, or one edge with another. Beyond it the query fails.
 */
export const stepsPerDocumentMax: number = 50_000_000;

/** What a query may keep at once: rows that wait to be sorted, groups, distinct values. Beyond it the query fails. */
export const queryMemoryBytesMax: number = 64 * 1024 * 1024;

/** Of TOP, OFFSET and LIMIT: what the service takes. */
export const countMax: number = 4_294_967_295;

/** Partition keys that a filter names and that are looked up one by one, as many as IN may list. Of more the whole container is read. */
export const filterKeysMax: number = 16_384;

/** Alternatives of partition keys on both sides of an AND, multiplied; beyond it only one side narrows what is read. */
export const filterAlternativesMax: number = 256;
