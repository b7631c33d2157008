import canonicalize from 'canonicalize';
import type { MessageForm } from '../../delivery/form/formats.js';
import type { Environment } from '../../config/read-values.js';

/**
 * What a subscription binds a rule to, and how its messages are sent. Values of `headers` are as in a file, with variables of the
 * environment by name. The service does not show values: for its subscriptions, each value is a variable.
 */
export interface Target extends MessageForm {
  readonly serverId: string;
  readonly url: string;
}

/** A variable of the environment in a value of a header. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Returns a value of a header in which each variable is one character: for checks of the rest. */
export function withoutVariables(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll(VARIABLE, 'x') : value;
}

/** Returns the headers of a subscription in the service as a file has them: a variable for each value. */
export function headersInFile(names: readonly string[]): NonNullable<Target['headers']> {
  return Object.fromEntries(
    names.map((name) => [name, `\${${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}}`]),
  );
}

/** Returns a text that two targets share if they have one url and one form. Headers are compared by name. */
export function formKeyOf({ url, format, headers = {}, template }: Omit<Target, 'serverId'>): string {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return canonicalize([url, format ?? null, names.toSorted(), template ?? null])!;
}

/** Returns a text that two targets share if they are the same subscription. Headers are compared by name. */
export function keyOf(target: Target): string {
  return `${target.serverId} ${formKeyOf(target)}`;
}

/** Compares targets by url, then by server, then by form. */
export function inOrder(a: Target, b: Target): number {
  return compared(`${a.url} ${a.serverId}`, `${b.url} ${b.serverId}`) || compared(formKeyOf(a), formKeyOf(b));
}

function compared(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Returns a target with the values of the environment in its headers. `onMissing` gets the name of each variable that is not set. */
export function withValues(
  target: Target,
  environment: Environment,
  onMissing: (name: string) => void,
): Target {
  if (target.headers === undefined) return target;
  const valueOf = (_: string, name: string): string => {
    const value = environment[name] ?? '';
    if (value === '') onMissing(name);
    return value;
  };
  const headers = Object.entries(target.headers).map(
    ([name, value]) => [name, value.replaceAll(VARIABLE, valueOf)] as const,
  );
  return { ...target, headers: Object.fromEntries(headers) };
}
