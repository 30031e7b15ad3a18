// A time as HTTP writes it: `Mon, 16 Nov 2026 08:00:00 GMT`. It is exact to the second, and what is read together was mostly
// written within few of them.
//
// Three forms are read (RFC 9110, 5.6.7), the names of days and months in any case:
//
//   Sun, 06 Nov 1994 08:49:37 GMT     IMF-fixdate; the Go SDK writes UTC in the place of GMT
//   Sunday, 06-Nov-94 08:49:37 GMT    RFC 850; a year that would be more than 50 years ahead is one of the past
//   Sun Nov  6 08:49:37 1994          asctime

const slots = 256;
const seconds: number[] = Array.from({ length: slots }, () => Number.NaN);
const texts: string[] = Array.from({ length: slots }, () => '');

export function httpDate(timeMs: number): string {
  const second = Math.floor(timeMs / 1000);
  const slot = Math.abs(second) % slots;
  if (seconds[slot] !== second) {
    seconds[slot] = second;
    texts[slot] = new Date(timeMs).toUTCString();
  }
  return texts[slot] as string;
}

/** Undefined for whatever is no such time. `nowMs` decides the century of a year with two digits. */
export function parseHttpDate(text: string, nowMs: number): Date | undefined {
  for (const form of forms) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined) return dateOf(groups, nowMs);
  }
  return undefined;
}

const clock = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';
const zone = '(?:GMT|UTC)';

const forms: readonly RegExp[] = [
  `(?:sun|mon|tue|wed|thu|fri|sat), (?<day>\\d{1,2}) (?<month>[a-z]{3}) (?<year>\\d{4}) ${clock} ${zone}`,
  `(?:sun|mon|tues|wednes|thurs|fri|satur)day, (?<day>\\d\\d)-(?<month>[a-z]{3})-(?<year>\\d\\d) ${clock} ${zone}`,
  `(?:sun|mon|tue|wed|thu|fri|sat) (?<month>[a-z]{3}) (?<day>[ \\d]\\d) ${clock} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`, 'i'));

const months: readonly string[] = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

function dateOf(groups: Readonly<Record<string, string | undefined>>, nowMs: number): Date | undefined {
  const { day = '', month = '', year = '', hour, minute, second } = groups;
  const fullYear = year.length === 2 ? centuryOf(Number(year), nowMs) : Number(year);
  const index = months.indexOf(month.toLowerCase());
  const date = new Date(0);
  date.setUTCFullYear(fullYear, index, Number(day));
  // A day that the month does not have would be one of the next month.
  if (index === -1 || date.getUTCDate() !== Number(day)) return undefined;
  // A leap second is the first second of the next minute.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  return date;
}

function centuryOf(year: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const near = thisYear - (thisYear % 100) + year;
  return near > thisYear + 50 ? near - 100 : near;
}
