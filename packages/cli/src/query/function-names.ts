// What can be called in a query, and what people call who know another SQL.

/** In the spelling of docs/reference/query-functions.md; aggregates first. */
export const functionNames: readonly string[] = [
  'COUNT COUNTIF SUM AVG MIN MAX MAKELIST MAKESET',
  'ARRAY_AVG ARRAY_CONCAT ARRAY_CONTAINS ARRAY_CONTAINS_ALL ARRAY_CONTAINS_ANY ARRAY_LENGTH ARRAY_MAX ARRAY_MEDIAN ARRAY_MIN',
  'ARRAY_SLICE ARRAY_SUM CHOOSE OBJECTTOARRAY SETDIFFERENCE SETEQUAL SETINTERSECT SETUNION IIF',
  'AGO DateTimeAdd DateTimeBin DateTimeDiff DATETIMEFORMAT DateTimeFromParts DateTimePart DateTimeToTicks DateTimeToTimestamp',
  'DAY GetCurrentDateTime GetCurrentDateTimeStatic GetCurrentTicks GetCurrentTicksStatic GetCurrentTimestamp',
  'GetCurrentTimestampStatic MONTH NOW TicksToDateTime TimestampToDateTime YEAR',
  'ABS ACOS ASIN ATAN ATN2 CEILING COS COT DEGREES EXP FLOOR LOG LOG10 NumberBin PI POWER RADIANS RAND ROUND SIGN SIN SQRT',
  'SQUARE TAN TRUNC IntAdd IntBitAnd IntBitLeftShift IntBitNot IntBitOr IntBitRightShift IntBitXor IntDiv IntMod IntMul IntSub',
  'CONCAT CONTAINS CONTAINS_ALL_CS CONTAINS_ALL_CI CONTAINS_ANY_CS CONTAINS_ANY_CI ENDSWITH INDEX_OF LASTINDEXOF',
  'LASTSUBSTRINGAFTER LASTSUBSTRINGBEFORE LEFT LENGTH LOWER LTRIM REPLACE REPLICATE REVERSE RIGHT RTRIM STARTSWITH STRINGEQUALS',
  'STRINGJOIN STRINGSPLIT STRINGTOARRAY STRINGTOBOOLEAN STRINGTONULL STRINGTONUMBER STRINGTOOBJECT SUBSTRING SUBSTRINGAFTER',
  'SUBSTRINGBEFORE TOSTRING TRIM UPPER REGEXMATCH IS_ARRAY IS_BOOL IS_DATETIME IS_DEFINED IS_FINITE_NUMBER IS_INTEGER IS_NULL',
  'IS_NUMBER IS_OBJECT IS_PRIMITIVE IS_STRING ST_AREA ST_DISTANCE ST_INTERSECTS ST_ISVALID ST_ISVALIDDETAILED ST_WITHIN',
  'FullTextContains FullTextContainsAll FullTextContainsAny VectorDistance',
].flatMap((line) => line.split(' '));

const orElse = 'a ?? b';

/** By the name elsewhere, what is written here. */
export const foreignFunctions: ReadonlyMap<string, string> = new Map([
  ['CAST', 'TOSTRING(x) or STRINGTONUMBER(x)'],
  ['CHARINDEX', 'INDEX_OF(text, part), which counts from 0'],
  ['CHAR_LENGTH', 'LENGTH(x)'],
  ['COALESCE', orElse],
  ['CONVERT', 'TOSTRING(x) or STRINGTONUMBER(x)'],
  ['CURRENT_TIMESTAMP', 'GetCurrentDateTime()'],
  ['DATEADD', 'DateTimeAdd(part, n, time)'],
  ['DATEDIFF', 'DateTimeDiff(part, from, to)'],
  ['DATEPART', 'DateTimePart(part, time)'],
  ['DATE_TRUNC', 'DateTimeBin(time, part)'],
  ['GETDATE', 'GetCurrentDateTime()'],
  ['GETUTCDATE', 'GetCurrentDateTime()'],
  ['GROUP_CONCAT', 'MAKELIST(x)'],
  ['IF', 'IIF(condition, a, b)'],
  ['IFNULL', orElse],
  ['INSTR', 'INDEX_OF(text, part), which counts from 0'],
  ['ISNULL', `${orElse}, or IS_NULL(x)`],
  ['LCASE', 'LOWER(x)'],
  ['LEN', 'LENGTH(x)'],
  ['NOW', 'GetCurrentDateTime()'],
  ['NVL', orElse],
  ['POW', 'POWER(x, n)'],
  ['REGEXP_LIKE', 'RegexMatch(text, pattern)'],
  ['SIZE', 'ARRAY_LENGTH(x) or LENGTH(x)'],
  ['STR', 'TOSTRING(x)'],
  ['STRING_AGG', 'MAKELIST(x)'],
  ['SUBSTR', 'SUBSTRING(text, from, length), which counts from 0'],
  ['UCASE', 'UPPER(x)'],
]);
