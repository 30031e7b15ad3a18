// HEAD of a request in HTTP/1.0 or HTTP/1.1 (RFC 9112):
//
//   method SP target SP HTTP/1.x CRLF · (name ":" OWS value OWS CRLF)* · CRLF
//
// Strict wherever two readers of the same bytes could disagree about where a request ends: no line ends with LF alone, no
// value goes on in the next line, nothing stands between a name and its colon, and the length of the body is said once and
// in one way. What is not exactly so is not a request.

import type { IncomingHttpHeaders } from 'node:http';
import { headerFieldsMax, knownHeaderNamesMax } from '../limits.ts';

export interface Head {
  readonly method: string;
  /** The target as it came. */
  readonly url: string;
  /** 0 or 1: the digit behind `HTTP/1.` */
  readonly minorVersion: number;
  /** By name in lower case, values as Latin-1; a name that came several times is joined as node:http joins it. */
  readonly headers: IncomingHttpHeaders;
  /** Of the body; 'chunked' when it says itself where it ends. */
  readonly bodyBytes: number | 'chunked';
}

/** Whatever else begins a line may be the end of something else, such as a body that is longer than it said. */
export const methods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
]);
/** A path, the server itself, or a whole URL as it is sent to a proxy. */
export const target: RegExp = /^(?:\/|\*$|https?:\/\/[a-z0-9.:[\]-]+(?:[/?]|$))/i;
const cr = 0x0d;
const lf = 0x0a;
const space = 0x20;
const tab = 0x09;
const colon = 0x3a;

/** RFC 9110: `token`. */
export const isTokenCode: Uint8Array = codesOf((code) => /[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(String.fromCharCode(code)));
export const isTargetCode: Uint8Array = codesOf((code) => code > 0x20 && code < 0x7f);
/** Of a value: RFC 9110, `field-content`. */
export const isValueCode: Uint8Array = codesOf((code) => code === tab || (code >= 0x20 && code !== 0x7f));

/** `text` is everything up to the empty line and without it, as Latin-1. Undefined when that is not a head. */
export function parseHead(text: string): Head | 'too many fields' | undefined {
  const methodEnd = endOf(isTokenCode, text, 0);
  const method = text.slice(0, methodEnd);
  if (!methods.has(method) || text.charCodeAt(methodEnd) !== space) return undefined;
  const urlEnd = endOf(isTargetCode, text, methodEnd + 1);
  if (!text.startsWith(' HTTP/1.', urlEnd)) return undefined;
  const versionAt = urlEnd + ' HTTP/1.'.length;
  const minorVersion = text.charCodeAt(versionAt) - 0x30;
  if ((minorVersion !== 0 && minorVersion !== 1) || !isLineEnd(text, versionAt + 1)) return undefined;
  const url = text.slice(methodEnd + 1, urlEnd);
  // The target of a tunnel is a host; such a request is refused as one for a proxy.
  if (method === 'CONNECT' ? url === '' : !target.test(url)) return undefined;
  const headers = parseFields(text, versionAt + 3);
  if (headers === undefined || headers === 'too many fields') return headers;
  const bodyBytes = bodyBytesOf(headers, minorVersion);
  if (bodyBytes === undefined) return undefined;
  return {
    method,
    url,
    minorVersion,
    headers,
    bodyBytes,
  };
}

function parseFields(text: string, from: number): IncomingHttpHeaders | 'too many fields' | undefined {
  // Without a prototype: names are a client's, and `__proto__` is one.
  const headers: IncomingHttpHeaders = Object.create(null);
  let fields = 0;
  for (let at = from; at < text.length; ) {
    fields += 1;
    if (fields > headerFieldsMax) return 'too many fields';
    const nameEnd = endOf(isTokenCode, text, at);
    if (nameEnd === at || text.charCodeAt(nameEnd) !== colon) return undefined;
    const name = lowerCaseOf(text.slice(at, nameEnd));
    let start = nameEnd + 1;
    while (isBlank(text.charCodeAt(start))) start += 1;
    const lineEnd = endOf(isValueCode, text, start);
    if (!isLineEnd(text, lineEnd)) return undefined;
    let end = lineEnd;
    while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
    // Some readers take the tab around a length for a part of it.
    if (saidOnce.has(name) && text.slice(nameEnd, lineEnd).includes('\t')) return undefined;
    if (!put(headers, name, text.slice(start, end))) return undefined;
    at = lineEnd + 2;
  }
  return headers;
}

/** False for what may not be said twice. */
function put(headers: IncomingHttpHeaders, name: string, value: string): boolean {
  const before = headers[name];
  if (before === undefined) {
    headers[name] = value;
    return true;
  }
  if (saidOnce.has(name)) return false;
  if (firstCounts.has(name)) return true;
  headers[name] = `${String(before)}${name === 'cookie' ? '; ' : ', '}${value}`;
  return true;
}

const saidOnce: ReadonlySet<string> = new Set(['content-length', 'host', 'transfer-encoding']);
/** As node:http does it: clients and proxies have been made with that. */
const firstCounts: ReadonlySet<string> = new Set([
  'age',
  'authorization',
  'content-type',
  'etag',
  'expires',
  'from',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
]);

function bodyBytesOf(headers: IncomingHttpHeaders, minorVersion: number): number | 'chunked' | undefined {
  const length = headers['content-length'];
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined) {
    if (length !== undefined || minorVersion === 0) return undefined;
    return encoding.toLowerCase() === 'chunked' ? 'chunked' : undefined;
  }
  if (length === undefined) return 0;
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** The first place from `at` on where none of these codes stands. */
function endOf(codes: Uint8Array, text: string, at: number): number {
  let end = at;
  while (codes[text.charCodeAt(end)] === 1) end += 1;
  return end;
}

function isLineEnd(text: string, at: number): boolean {
  return text.charCodeAt(at) === cr && text.charCodeAt(at + 1) === lf;
}

function isBlank(code: number): boolean {
  return code === space || code === tab;
}

/** Every request has the same dozen names, and what they are in lower case is the same each time. */
const lowerCases = new Map<string, string>();

function lowerCaseOf(name: string): string {
  const known = lowerCases.get(name);
  if (known !== undefined) return known;
  const lowerCase = name.toLowerCase();
  // Names that somebody makes up must not push out the others for good.
  if (lowerCases.size >= knownHeaderNamesMax) lowerCases.clear();
  // Made anew: a slice would keep the head that it was cut from.
  lowerCases.set(Buffer.from(name, 'latin1').toString('latin1'), Buffer.from(lowerCase, 'latin1').toString('latin1'));
  return lowerCase;
}

function codesOf(includes: (code: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => (includes(code) ? 1 : 0));
}
