// The order of the test files. The test runner begins with the largest, and the longest are among the smallest: they would come last,
// all at once, with nothing left that waits while they compute. So they are spread among the others.

import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** They take minutes of nothing but computing. */
const longest = ['seeds', 'power-cut', 'crash', 'model', 'fuzz.raw'].map((name) => `/${name}.test.ts`);
/** So many others have their turn between two of them. */
const othersBetween = 35;

export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => longest.some((name) => moduleId.endsWith(name));
    const others = sorted.filter((file) => !isLong(file));
    const order: TestSpecification[] = [];
    for (const [n, name] of longest.entries()) {
      order.push(...sorted.filter(({ moduleId }) => moduleId.endsWith(name)));
      order.push(...others.slice(n * othersBetween, (n + 1) * othersBetween));
    }
    return [...order, ...others.slice(longest.length * othersBetween)];
  }
}
