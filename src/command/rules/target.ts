import canonicalize from 'canonicalize';
import type { MessageForm } from '../../delivery/form/formats.js';
import { Failure } from '../context.js';
import type { Environment } from '../../config/read-values.js';

/**
 * What a subscription binds a rule to, and how its messages are sent. Values of `headers` are as a file has them, with the variables of
 * the environment by name; of a subscription in the service, whose values nobody can read, variables alone.
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

/** Returns the form of a target: equal texts are sent alike, as far as the names of headers tell. */
export function formKeyOf({ url, format, headers = {}, template }: Omit<Target, 'serverId'>): string {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return canonicalize([url, format ?? null, names.toSorted(), template ?? null])!;
}

/** Returns a text that two targets share if they are the same subscription. Headers are compared by name. */
export function keyOf(target: Target): string {
  return `${target.serverId} ${formKeyOf(target)}`;
}

/** Compares targets by url, then by server. */
export function inOrder(a: Target, b: Target): number {
  const [left, right] = [a, b].map((one) => `${one.url} ${one.serverId} ${formKeyOf(one)}`) as [
    string,
    string,
  ];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Returns the targets with the values of the environment in their headers. Throws `Failure` that names each variable that is not set. */
export function withValues<T extends Target>(targets: readonly T[], environment: Environment): readonly T[] {
  const missing = new Set<string>();
  const valueOf = (value: string): string =>
    value.replaceAll(VARIABLE, (_, name: string) => {
      const found = environment[name];
      if (found === undefined || found === '') missing.add(name);
      return found ?? '';
    });
  const filled = targets.map((target): T =>
    target.headers === undefined
      ? target
      : {
          ...target,
          headers: Object.fromEntries(
            Object.entries(target.headers).map(([name, value]) => [name, valueOf(value)]),
          ),
        },
  );
  if (missing.size > 0)
    throw new Failure(
      `values of headers need variables of the environment that are not set: ${[...missing].join(', ')}`,
    );
  return filled;
}
