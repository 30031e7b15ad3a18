// What is there, read in two ways: document by document, and as a list. They have to agree.

import type { Container } from '@azure/cosmos';
import type { Judge } from '../judge/judge.ts';

const readsAtOnce = 8;

interface Numbered {
  readonly id: string;
  readonly pk: string;
  readonly n: number;
}

export type Found = ReadonlyMap<string, ReadonlyMap<string, number>>;

export async function readBack(container: Container, judge: Judge): Promise<{ found: Found; findings: string[] }> {
  const found = new Map<string, Map<string, number>>();
  const { resources } = await container.items.readAll<Numbered>().fetchAll();
  for (const { id, pk, n } of resources) {
    const ofKey = found.get(pk) ?? new Map<string, number>();
    found.set(pk, ofKey.set(id, n));
  }
  const findings: string[] = [];
  const documents = [...judge.documents()];
  const read = async (): Promise<void> => {
    for (let next = documents.pop(); next !== undefined; next = documents.pop()) {
      const { key, id } = next;
      const { resource } = await container.item(id, key).read<Numbered>();
      const listed = found.get(key)?.get(id);
      if (resource?.n !== listed) findings.push(`${key} ${id} is read as ${resource?.n} and listed as ${listed}`);
    }
  };
  await Promise.all(Array.from({ length: readsAtOnce }, read));
  return { found, findings };
}
