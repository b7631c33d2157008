import { NotAllowed } from './kinds.js';
import type { Setting } from './setting.js';
import { type SettingName, settings, type Values } from './settings.js';

/** Variables by name, as process.env has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What an environment says. A wrong setting has its default as value. */
export interface Readings {
  readonly values: Values;
  /** A sentence for each wrong setting; secret texts are not in it. */
  readonly faults: ReadonlyMap<SettingName, string>;
}

/** Reads every setting. One that is set to nothing, as compose files do it, is not set. */
export function readValues(environment: Environment): Readings {
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
  // The loop has gone through the same table that the type is made of.
  return { values: values as unknown as Values, faults };
}

function faultOf(name: SettingName, { kind, secret }: Setting, text: string, { why }: NotAllowed): string {
  // An address that is wrong may still hold credentials.
  const isShown = secret !== true && text.length <= 60 && !text.includes('@');
  const shown = isShown ? JSON.stringify(text) : 'its value';
  return `${name}: ${why ?? `${shown} is not allowed`}; allowed: ${kind.allowed}`;
}
