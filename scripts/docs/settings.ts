import { flagOf, settingNames, settings, variableOf } from '../../packages/cli/src/settings.ts';
import { code, table } from './table.ts';

export function settingsPart(): string {
  const rows = settingNames.map((name) => {
    const { argument, meaning, fallback, fallbackText } = settings[name];
    const flag = argument === undefined ? flagOf(name) : `${flagOf(name)} ${argument}`;
    const isPlain = fallbackText === undefined && typeof fallback !== 'boolean';
    const shown = fallbackText ?? String(fallback);
    return [code(flag), code(variableOf(name)), code(name), meaning, isPlain ? code(shown) : shown];
  });
  return table(['flag', 'environment', 'file', 'meaning', 'default'], rows);
}
