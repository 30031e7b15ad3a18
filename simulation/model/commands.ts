// Between the model's operations and the engine's commands, and back.

import type { Container, WriteCommand } from '@tidemark/engine/internal';
import { canonical } from './observe.ts';
import type { ModelOperation, ModelVersion } from './reference.ts';

/** What a client holds: the etag inside the document. */
export function etagOf(version: ModelVersion): string {
  return (JSON.parse(version.bytes.toString('utf8')) as { _etag: string })._etag;
}

export function contentOf(text: string): string {
  const own = Object.entries(JSON.parse(text) as Record<string, unknown>).filter(([name]) => !name.startsWith('_'));
  return canonical(Object.fromEntries(own));
}

export function commandOf(container: Container, operation: ModelOperation): WriteCommand {
  const condition = operation.ifMatch === undefined ? {} : { ifMatch: operation.ifMatch };
  switch (operation.kind) {
    case 'create':
      return { kind: 'create', document: container.readClient(operation.value) };
    case 'upsert':
      return { kind: 'upsert', document: container.readClient(operation.value), ...condition };
    case 'replace': {
      const document = container.readClient(operation.value);
      return { kind: 'replace', id: document.id, document, ...condition };
    }
    case 'patch': {
      const operations = Object.entries(operation.set).map(
        ([name, value]) => ({ op: 'set', path: `/${name}`, value }) as const,
      );
      return { kind: 'patch', id: operation.id, operations, ...condition };
    }
    case 'delete':
      return { kind: 'delete', id: operation.id, ...condition };
    default:
      return { kind: 'read', id: operation.id };
  }
}
