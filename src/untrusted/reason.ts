import { oneLine } from './text.js';

/** Longest reason, code points. */
const LONGEST = 300;

/** Causes below an error that are followed. */
const DEPTH = 5;

/** Words for the codes in messages of the system. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host cannot be looked up now',
};

/** Messages of certificates that no known authority has signed. */
const UNKNOWN_AUTHORITY =
  /self-signed certificate|unable to verify the first certificate|unable to get (?:local )?issuer certificate/;

/** Shortest part of an address that is hidden as a secret, characters: a shorter one is a word of many texts. */
const SHORTEST_SECRET = 8;

/**
 * Returns in one line why a dependency cannot be used: the message of the first cause, such as `certificate has expired`,
 * with words for a code of the system and a hint for a private certificate authority. Removes `secrets`, and the
 * credentials and queries of URLs. For operators: messages of the system name addresses.
 */
export function reasonOf(error: unknown, secrets: readonly string[] = []): string {
  const reasons = new Set(firstCauses(error, DEPTH).map(explained));
  const hidden = secrets.reduce(
    (text, secret) => (secret === '' ? text : text.replaceAll(secret, '…')),
    [...reasons].join('; '),
  );
  return oneLine(withoutUrlSecrets(hidden), LONGEST);
}

/** As `reasonOf`, for callers who must not learn addresses of the system: `certificate has expired`, `connection refused`. */
export function callersReasonOf(error: unknown): string {
  const [cause] = firstCauses(error, DEPTH);
  if (!(cause instanceof Error)) return 'it failed';
  const known = knownCode(cause);
  // What follows a colon names addresses or places in a source.
  return known === undefined ? oneLine(cause.message.replace(/:.*/s, ''), LONGEST) : WORDS[known]!;
}

/** Returns the parts of a URL that `reasonOf` must hide: credentials, and long parts of its path and query. */
export function secretsIn(url: string): readonly string[] {
  const { username, password, pathname, searchParams } = new URL(url);
  const parts = [...pathname.split('/'), ...searchParams.values()].filter(
    (part) => part.length >= SHORTEST_SECRET,
  );
  return [password, username, ...parts]
    .flatMap((part) => [part, decoded(part)])
    .filter((part) => part !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns an error's causes that have none; several for several addresses. */
function firstCauses(error: unknown, depth: number): readonly unknown[] {
  if (depth === 0 || !(error instanceof Error)) return [error];
  const { errors } = error as { readonly errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) {
    return errors.flatMap((one: unknown) => firstCauses(one, depth - 1));
  }
  return error.cause === undefined || error.cause === null ? [error] : firstCauses(error.cause, depth - 1);
}

function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message === '' ? codeOf(error) || error.name : error.message;
  if (UNKNOWN_AUTHORITY.test(message)) return `${message} (NODE_EXTRA_CA_CERTS names a private authority)`;
  const known = knownCode(error);
  return known === undefined ? message : `${WORDS[known]} (${message})`;
}

function codeOf({ code }: Error & { readonly code?: unknown }): string {
  return typeof code === 'string' ? code : '';
}

/** Returns the code of the system in an error: some libraries replace it by their own. */
function knownCode(error: Error): string | undefined {
  const code = codeOf(error);
  return Object.keys(WORDS).find((one) => one === code || error.message.includes(one));
}

/** Returns a text whose URLs have no credentials and no query. */
function withoutUrlSecrets(text: string): string {
  return text.replaceAll(/\/\/\S*@/g, '//…@').replaceAll(/(\w:\/\/[^\s?]*)\?\S*/g, '$1?…');
}
