// Headers of an answer without anything else being made of them: name, value, name, value.

export type HeaderList = readonly string[];

/** Names are in lower case here. */
export function headerIn(headers: HeaderList, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1];
  return undefined;
}
