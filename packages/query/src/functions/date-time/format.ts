// The pattern of DATETIMEFORMAT (spec query 3.4), in the letters that .NET uses:
//
//   yyyy  MM  dd  HH  mm  ss     the parts, padded with zeros
//   f to fffffff                 so many digits of the second's fraction
//   F to FFFFFFF                 the same without the zeros at their end, perhaps nothing; a dot before them stays
//   \                            the next character as it is
//
// All other characters stand for themselves. These letters in other numbers, like a single d, are not known to the service's
// reference, whose examples escape them: they make the pattern invalid, lest a guess print a wrong date.

import type { DateTimeFields } from './instant.ts';

/** Undefined when the pattern is invalid. */
export function formatted(fields: DateTimeFields, pattern: string): string | undefined {
  let text = '';
  let at = 0;
  while (at < pattern.length) {
    const letter = pattern.charAt(at);
    if (letter === '\\') {
      if (at + 1 === pattern.length) return undefined;
      text += pattern.charAt(at + 1);
      at += 2;
    } else if (letters.includes(letter)) {
      const end = endOfRun(pattern, at);
      const printed = printedRun(fields, letter, end - at);
      if (printed === undefined) return undefined;
      text += printed;
      at = end;
    } else {
      text += letter;
      at++;
    }
  }
  return text;
}

const letters = 'yMdHmsfF';

function endOfRun(pattern: string, start: number): number {
  let end = start + 1;
  while (end < pattern.length && pattern[end] === pattern[start]) end++;
  return end;
}

function printedRun(fields: DateTimeFields, letter: string, length: number): string | undefined {
  if (letter === 'f' || letter === 'F') {
    if (length > 7) return undefined;
    const digits = padded(fields.fraction, 7).slice(0, length);
    return letter === 'f' ? digits : digits.replace(/0+$/, '');
  }
  if (length !== (letter === 'y' ? 4 : 2)) return undefined;
  switch (letter) {
    case 'y':
      return padded(fields.year, 4);
    case 'M':
      return padded(fields.month, 2);
    case 'd':
      return padded(fields.day, 2);
    case 'H':
      return padded(fields.hour, 2);
    case 'm':
      return padded(fields.minute, 2);
    default:
      return padded(fields.second, 2);
  }
}

function padded(count: number, length: number): string {
  return String(count).padStart(length, '0');
}
