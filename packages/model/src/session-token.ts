// Session tokens: how far a client has seen each range.
//
// SESSION TOKEN (text)
//   simple   {rangeId}:{lsn}                                          e.g. 0:57
//   vector   {rangeId}:{version}#{lsn}[#{region}={regionLsn}…]        e.g. 0:-1#57, 0:1#57#1=57
//   several ranges are separated by commas; only requests carry more than one.
//
// Wire: which form a client can read depends on its API version; the oldest client crashes when it meets a '#'. Clients
// throw when two tokens of one version differ in their regions, so regions never vary within a version (wire 13).

import { DatabaseError } from './errors.ts';

export interface RegionLsn {
  readonly region: number;
  readonly lsn: number;
}

export type SessionToken =
  | { readonly kind: 'simple'; readonly rangeId: string; readonly lsn: number }
  | {
      readonly kind: 'vector';
      readonly rangeId: string;
      readonly version: number;
      readonly lsn: number;
      readonly regions: readonly RegionLsn[];
    };

/** The first API version whose clients read vector tokens. */
export const vectorTokensSince = '2018-06-18';

/** Versions are dates, so they compare as text. An absent version is taken for a modern client. */
export function readsVectorTokens(apiVersion: string | undefined): boolean {
  return apiVersion === undefined || apiVersion >= vectorTokensSince;
}

/** The token of a response: exactly one range, in the form that the client's version reads. */
export function sessionTokenFor(rangeId: string, lsn: number, apiVersion: string | undefined): string {
  return readsVectorTokens(apiVersion) ? `${rangeId}:-1#${lsn}` : `${rangeId}:${lsn}`;
}

/** The tokens of a request header. The same range may be named more than once; the later state counts. */
export function parseSessionTokens(text: string): SessionToken[] {
  const byRange = new Map<string, SessionToken>();
  for (const part of text.split(',')) {
    const token = parseOne(part.trim());
    const known = byRange.get(token.rangeId);
    byRange.set(token.rangeId, known === undefined ? token : mergeSessionTokens(known, token));
  }
  return [...byRange.values()];
}

export function formatSessionToken(token: SessionToken): string {
  if (token.kind === 'simple') return `${token.rangeId}:${token.lsn}`;
  let text = `${token.rangeId}:${token.version}#${token.lsn}`;
  for (const { region, lsn } of token.regions) text += `#${region}=${lsn}`;
  return text;
}

export function formatSessionTokens(tokens: readonly SessionToken[]): string {
  return tokens.map(formatSessionToken).join(',');
}

/**
 * The later of two states of one range: the higher version with its regions; of equal versions the highest LSN overall and
 * per region. A simple token has no version and adds only its LSN.
 */
export function mergeSessionTokens(a: SessionToken, b: SessionToken): SessionToken {
  const lsn = Math.max(a.lsn, b.lsn);
  if (a.kind === 'simple' || b.kind === 'simple') return { ...(a.kind === 'vector' ? a : b), lsn };
  if (a.version !== b.version) return { ...(a.version > b.version ? a : b), lsn };
  const highest = new Map<number, number>();
  for (const { region, lsn: regionLsn } of [...a.regions, ...b.regions]) {
    highest.set(region, Math.max(regionLsn, highest.get(region) ?? regionLsn));
  }
  const regions = [...highest].map(([region, regionLsn]) => ({ region, lsn: regionLsn }));
  return { ...a, lsn, regions: regions.sort((x, y) => x.region - y.region) };
}

/** Order by how much has been seen of the range: by LSN alone, which never restarts within one lineage. */
export function compareSessionTokens(a: SessionToken, b: SessionToken): number {
  return a.lsn - b.lsn;
}

function parseOne(text: string): SessionToken {
  const colon = text.indexOf(':');
  const rangeId = text.slice(0, Math.max(colon, 0));
  if (rangeId === '') throw malformed(text);
  const segments = text.slice(colon + 1).split('#');
  const [first = '', second] = segments;
  if (second === undefined) return { kind: 'simple', rangeId, lsn: parseWhole(first, text) };
  const regions = segments.slice(2).map((segment) => parseRegion(segment, text));
  return { kind: 'vector', rangeId, version: parseWhole(first, text), lsn: parseWhole(second, text), regions };
}

function parseRegion(segment: string, text: string): RegionLsn {
  const equals = segment.indexOf('=');
  if (equals === -1) throw malformed(text);
  return { region: parseWhole(segment.slice(0, equals), text), lsn: parseWhole(segment.slice(equals + 1), text) };
}

// Wire: the version may be -1, and so may the LSN of a range that was never written (clients start from "-1").
function parseWhole(digits: string, text: string): number {
  const value = Number(digits);
  if (digits === '' || !Number.isSafeInteger(value) || value < -1 || String(value) !== digits) throw malformed(text);
  return value;
}

function malformed(text: string): DatabaseError {
  return new DatabaseError(
    'bad-request',
    `The session token '${text}' is malformed; expected {range}:{lsn} or {range}:{version}#{lsn}.`,
  );
}
