// `tidemark config show`: the settings that `serve` would use, each with where it comes from. Keys are never shown.

import type { Call } from '../call.ts';
import { isOn, textOption } from '../call.ts';
import { readConfig } from '../config.ts';
import { readKeys } from '../keys.ts';
import { settingNames } from '../settings.ts';
import { print, say, table } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const config = readConfig({ flags: call.options, environment: process.env, file: textOption(call, 'config') });
  const keys = readKeys(config.settings.keyFile, process.env);
  if (keys.warning !== undefined) say(keys.warning);
  const shownKeys = keys.isWellKnown ? 'the well-known one' : Object.keys(keys.keys).join(', ');
  if (isOn(call, 'json')) {
    const shown = settingNames.map((name) => [
      name,
      { value: config.settings[name] ?? null, origin: config.origins[name].name },
    ]);
    const all = { ...Object.fromEntries(shown), keys: { value: shownKeys, origin: keys.origin } };
    await print(`${JSON.stringify(all)}\n`);
    return 0;
  }
  const rows = settingNames.map((name) => [name, valueText(name, config.settings[name]), config.origins[name].name]);
  await print(table([...rows, ['keys', shownKeys, keys.origin]]));
  return 0;
}

function valueText(name: (typeof settingNames)[number], value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '-';
  if (name === 'history') return value === 0 ? '-' : `${Number(value) / 1000}s`;
  return String(value);
}
