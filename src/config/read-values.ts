import { NotAllowed } from './kinds.js';
import { type Setting, type SettingName, settings, type Values } from './settings.js';

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads all settings. An empty text, which compose files produce, counts as not set. A faulty setting has its default. For
 * each there is a sentence in `faults`, without secrets.
 */
export function readValues(environment: Environment) {
  const values: Record<string, unknown> = {};
  const faults = new Map<SettingName, string>();
  for (const name of Object.keys(settings) as SettingName[]) {
    const setting: Setting = settings[name];
    const fallback = setting.default === undefined ? undefined : setting.kind.parse(setting.default);
    const text = environment[name];
    const value = text === undefined || text === '' ? fallback : setting.kind.parse(text);
    if (value instanceof NotAllowed) faults.set(name, faultOf(name, setting, text ?? '', value));
    values[name] = value instanceof NotAllowed ? fallback : value;
  }
  // The loop covers the table from which the type `Values` is derived.
  return { values: values as unknown as Values, faults };
}

function faultOf(name: SettingName, { kind, secret }: Setting, text: string, { why }: NotAllowed): string {
  // A faulty address may contain credentials.
  const isShown = secret !== true && text.length <= 60 && !text.includes('@');
  const shown = isShown ? JSON.stringify(text) : 'its value';
  return `${name}: ${why ?? `${shown} is not allowed`}; allowed: ${kind.allowed}`;
}
