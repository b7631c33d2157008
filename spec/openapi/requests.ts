import type { Told } from './story.js';

/** The target and the headers of a request. */
export interface Filled {
  /** Path and query. */
  readonly target: string;
  readonly headers: Record<string, string>;
}

/** Secrets of a service. */
export interface Secrets {
  readonly tenant: string;
  readonly operator: string;
  readonly vault: string;
}

/** Returns the request of an example. `actual` returns the service's value for a written one. */
export function filledIn(
  { documented: { path, operation }, parameters }: Told,
  actual: (written: unknown) => unknown,
): Filled {
  const headers: Record<string, string> = {};
  const query = new URLSearchParams();
  let filled = path;
  for (const [name, written] of parameters) {
    const value = String(actual(written));
    const { in: place } = operation.parameters.find((one) => one.name === name)!;
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query') query.set(name, value);
    else headers[name] = value;
  }
  const search = query.toString();
  return { target: search === '' ? filled : `${filled}?${search}`, headers };
}

/** Returns the headers for the first way in which an operation lets callers in. */
export function credentials(
  { documented: { operation } }: Told,
  { tenant, operator, vault }: Secrets,
): Readonly<Record<string, string>> {
  const [first = {}] = operation.security;
  const [way] = Object.keys(first);
  if (way === undefined) return {};
  const headers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    tenantToken: { 'X-Auth-Token': tenant },
    operatorToken: { Authorization: `Bearer ${operator}` },
    vaultToken: { 'X-Vault-Token': vault },
  };
  const found = headers[way];
  if (found === undefined) throw new Error(`these specs do not know how to use ${way}`);
  return found;
}
