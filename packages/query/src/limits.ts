// What a query may be and may take. Each limit is met by users, so each says what happens beyond it.

/** UTF-16 units of the text of a query. The service documents 512 KB. */
export const queryTextMax: number = 524_288;

/**
 * How deep a query may nest: parentheses, operators, calls and subqueries. LINQ puts parentheses around each of five hundred
 * conditions, which is what the service allows; parser, binder and compiler recurse, and the stack has to bear it.
 */
export const depthMax: number = 600;

/** No limit but a weight: a subquery counts as so many levels of `depthMax`, since it costs the stack as much. */
export const subqueryDepth: number = 12;

/**
 * How large a value may become that a query makes: characters of a string, or about the bytes of the JSON of an array or object.
 * Beyond it the query fails. Without it a text of a few lines makes values that double with every line.
 */
export const valueSizeMax: number = 4 * 1024 * 1024;

/** How deep arrays and objects that a query makes may nest: a literal in the deepest query, around a parameter. Beyond it the query fails. */
export const valueDepthMax: number = 1_000;

/**
 * UTF-16 units of an expression of RegexMatch, and of a pattern of LIKE; matching takes as long as text and expression multiplied.
 * Beyond it the query fails.
 */
export const patternMax: number = 32_768;

/** How many rows the subqueries and joins of one document may make. Beyond it the query fails, since nobody else has a turn meanwhile. */
export const rowsPerDocumentMax: number = 1_000_000;

/** Of one FROM, as in the service today. */
export const joinsMax: number = 10;

/** Of one query, as in the service. */
export const udfCallsMax: number = 10;

/**
 * What functions, comparisons and texts may compute for one document: about half a second. A call is a step, and another one for each
 * eight characters of a string that it gets and for each element of an array; LIKE, RegexMatch and the spatial functions count
 * characters compared with parts of a pattern, and edges with each other. Beyond it the query fails.
 */
export const stepsPerDocumentMax: number = 50_000_000;

/**
 * Parts of expressions that stand where a query names computed properties of the container, for each name all parts of its property. Beyond
 * it the query fails: a short text could name a long property a hundred thousand times.
 */
export const computedPartsMax: number = 65_536;

/** Of what is wrong with a text; of more it is said how many there are. */
export const problemsMax: number = 100;

/**
 * What functions, literals and subqueries may make for one document: two bytes a character, sixteen an element. What a condition has
 * made is given back after it. Beyond it the query fails.
 */
export const madeBytesPerDocumentMax: number = 64 * 1024 * 1024;

/** What a query may keep at once: rows that wait to be sorted, groups, distinct values. Beyond it the query fails. */
export const queryMemoryBytesMax: number = 64 * 1024 * 1024;

/** Of TOP, OFFSET and LIMIT: what the service takes. */
export const countMax: number = 4_294_967_295;

/**
 * Partition keys that a filter names and that are looked up one by one. Of more the whole container is read: they are all looked up again
 * for each batch of a page, in one turn of the event loop.
 */
export const filterKeysMax: number = 4_096;

/**
 * What is looked at to find out which partition keys a filter leaves: expressions, and values that they are compared with. Beyond it the
 * rest of the filter narrows nothing, for nobody else has a turn meanwhile; documents are filtered all the same.
 */
export const filterStepsMax: number = 131_072;

/** Alternatives of partition keys on both sides of an AND, multiplied; beyond it only one side narrows what is read. */
export const filterAlternativesMax: number = 256;
