import { headerGroups } from './header-meanings.ts';
import { code, table } from './table.ts';

export function headersPart(): string {
  const parts = headerGroups().map(({ title, rows }) => {
    const cells = rows.map(({ name, by, isOurs, what }) => [
      isOurs ? `${code(name)} (ours)` : code(name),
      by === 'both' ? 'client, server' : by,
      what,
    ]);
    return `## ${title}\n\n${table(['header', 'sent by', 'what it does'], cells)}`;
  });
  return parts.join('\n\n');
}
