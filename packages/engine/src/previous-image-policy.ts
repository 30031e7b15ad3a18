// Which versions of a container carry the one before them, and how much of it (wire-2026 2):
//
//   "previousImageRetentionPolicy": {"supportedFeatures": {"allVersionsAndDeletes": {"mode": 3, "includedPaths": ["/a", "/b/c"]}}}
//
//   mode            bits: 1 replaces, 2 deletes and expiries; 0 neither. Left out: as without a policy
//   includedPaths   what is shown of the version; left out: all of it
//
// Wire: `{"mode": 3}` right below the policy is an older form. Features and members that are not known come back as they came; a mode
// that is none must not, because the getters of clients throw on it.

import type { JsonObject } from './definition-member.ts';
import { isObject } from './definition-member.ts';
import type { PathTree } from './path-tree.ts';
import { pathTreeOf } from './path-tree.ts';

export const previousImagePolicyName = 'previousImageRetentionPolicy';

export interface PreviousImages {
  readonly ofReplaces: boolean;
  /** And of what expires. */
  readonly ofDeletes: boolean;
  /** Undefined: the whole document. */
  readonly paths: PathTree | undefined;
}

export type PreviousImagesRead = { readonly images: PreviousImages | undefined } | { readonly must: string };

/** What a container's policy says, or what is wrong with it. No images: the policy says nothing about the feed. */
export function readPreviousImages(policy: unknown): PreviousImagesRead {
  if (isMissing(policy)) return { images: undefined };
  if (!isObject(policy)) return { must: `${previousImagePolicyName} must be an object` };
  const features = policy['supportedFeatures'];
  if (!isMissing(features) && !isObject(features)) return { must: 'its supportedFeatures must be an object' };
  let read = readFeature(policy);
  for (const name of knownFeatures) {
    const feature = features?.[name];
    if ('must' in read || isMissing(feature)) continue;
    if (!isObject(feature)) return { must: `${name} must be an object` };
    const one = readFeature(feature);
    if ('must' in one || name === feedFeature) read = one;
  }
  return read;
}

const feedFeature = 'allVersionsAndDeletes';
/** The others are the service's own; what they say is checked and kept. */
const knownFeatures: readonly string[] = [
  feedFeature,
  'globalSecondaryIndex',
  'containerCopy',
  'embeddingGeneratorService',
];

const replaceBit = 1;
const deleteBit = 2;

function readFeature({ mode, includedPaths }: JsonObject): PreviousImagesRead {
  if (mode === undefined) {
    return isMissing(includedPaths) ? { images: undefined } : { must: 'its includedPaths say nothing without a mode' };
  }
  if (typeof mode !== 'number' || ![0, replaceBit, deleteBit, replaceBit | deleteBit].includes(mode)) {
    return { must: 'its mode must be 0 (off), 1 (replaces), 2 (deletes) or 3 (both)' };
  }
  const paths = isMissing(includedPaths) ? undefined : pathTreeOf(includedPaths);
  if (paths === null) return { must: 'its includedPaths must be paths such as /a or /a/b' };
  return { images: { ofReplaces: (mode & replaceBit) !== 0, ofDeletes: (mode & deleteBit) !== 0, paths } };
}

function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
