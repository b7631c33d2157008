import { isZone } from '../system/time-zone.js';

/**
 * Kind of values of a setting. `allowed` completes the sentence "allowed: …" in faults and in docs/settings.md. `parse`
 * returns the value of a text, or `NotAllowed`.
 */
export interface Kind<T> {
  readonly allowed: string;
  parse(text: string): T | NotAllowed;
}

/** Result of `parse` for a faulty text. `why` adds detail to `allowed`, and never contains the text. */
export class NotAllowed {
  readonly why: string | undefined;

  constructor(why?: string) {
    this.why = why;
  }
}

/** User of the embedded identity. */
export interface User {
  readonly tenant: string;
  readonly user: string;
  readonly password: string;
}

/** One of several words, in exactly this spelling. */
export function choice<const W extends string>(...words: readonly W[]): Kind<W> {
  return {
    allowed: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text.trim()) ?? new NotAllowed(),
  };
}

/** A whole number in decimal digits. Both limits are included. */
export function integer(min: number, max: number): Kind<number> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    parse: (text) => {
      const number = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
      return number >= min && number <= max ? number : new NotAllowed();
    },
  };
}

/** A number with at most `digits` decimal places. Both limits are included. */
export function decimal(min: number, max: number, digits: 3 | 6 = 3): Kind<number> {
  const pattern = new RegExp(`^\\d+(?:\\.\\d{1,${digits}})?$`);
  return {
    allowed: `a number from ${min} to ${max}, with at most ${digits === 3 ? 'three' : 'six'} digits after the point`,
    parse: (text) => {
      const number = pattern.test(text.trim()) ? Number(text) : Number.NaN;
      return number >= min && number <= max ? number : new NotAllowed();
    },
  };
}

/** An amount of wei in decimal digits: more than a number holds exactly. */
export const wei: Kind<bigint> = {
  allowed: 'a whole number of wei, of at most 27 digits',
  parse: (text) => (/^\d{1,27}$/.test(text.trim()) ? BigInt(text.trim()) : new NotAllowed()),
};

/** A number of bytes, plain or in KiB or MiB. Both limits, in bytes, are included. */
export function bytes(min: number, max: number): Kind<number> {
  const factors = { '': 1, KiB: 1024, MiB: 1024 ** 2 };
  return {
    allowed: `bytes from ${min} to ${max}, as a whole number or like 512KiB or 1MiB`,
    parse: (text) => {
      const match = /^(?<digits>\d+) ?(?<unit>KiB|MiB|)$/.exec(text.trim())?.groups;
      const number = Number(match?.['digits']) * factors[(match?.['unit'] ?? '') as keyof typeof factors];
      return number >= min && number <= max ? number : new NotAllowed();
    },
  };
}

/** Any non-blank text without control characters, as it is. */
export const text: Kind<string> = {
  allowed: 'any text without control characters',
  parse: (value) => (value.trim() === '' || /\p{Cc}/u.test(value) ? new NotAllowed() : value),
};

const SECRET_PREFIX = 'whsec_';

/** A webhook secret: in the form of the Standard Webhooks specification, or any text. */
export const webhookSecret: Kind<string> = {
  allowed: `${SECRET_PREFIX} followed by base64, or any text without control characters`,
  parse: (value) => {
    const key = value.startsWith(SECRET_PREFIX) ? value.slice(SECRET_PREFIX.length) : undefined;
    const isBase64 =
      key === undefined || (key !== '' && Buffer.from(key, 'base64').toString('base64') === key);
    return isBase64 ? text.parse(value) : new NotAllowed();
  },
};

/** Hexadecimal digits after `0x`, in lower case. */
export type Hex = `0x${string}`;

/** Address of an account or contract. A checksum in its upper case is not verified. */
export const chainAddress: Kind<Hex> = {
  allowed: '0x and 40 hexadecimal digits',
  parse: (value) => hexOf(value, /^0x[\da-f]{40}$/i),
};

/** Order of the curve secp256k1. Private keys are smaller. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Private key of an account. */
export const privateKey: Kind<Hex> = {
  allowed: '64 hexadecimal digits, with or without 0x, that are a private key of secp256k1',
  parse: (value) => {
    const key = hexOf(value.trim().replace(/^(?:0x)?/i, '0x'), /^0x[\da-f]{64}$/i);
    if (key instanceof NotAllowed) return key;
    return BigInt(key) > 0n && BigInt(key) < CURVE_ORDER ? key : new NotAllowed();
  },
};

function hexOf(text: string, pattern: RegExp): Hex | NotAllowed {
  const hex = text.trim();
  return pattern.test(hex) ? (hex.toLowerCase() as Hex) : new NotAllowed();
}

/** Printable ASCII without blanks, at most `longest` characters. */
export function word(longest: number): Kind<string> {
  const pattern = new RegExp(`^[!-~]{1,${longest}}$`);
  return {
    allowed: `1 to ${longest} printable ASCII characters without blanks`,
    parse: (value) => (pattern.test(value) ? value : new NotAllowed()),
  };
}

/** A value that an HTTP header can carry. */
export const headerValue: Kind<string> = word(1024);

/** Headers as OpenTelemetry writes them. Values are percent-encoded. */
export const headerPairs: Kind<Readonly<Record<string, string>>> = {
  allowed: 'name=value, several separated by commas; values are percent-encoded',
  parse: (value) => {
    const pairs = each(value, (part) => {
      const [, name, encoded] = /^([\w.-]+)\s*=\s*([!-~][ -~]*)$/.exec(part) ?? [];
      if (name === undefined || /%(?![\da-f]{2})/i.test(encoded!)) return undefined;
      const decoded = encoded!.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      return /^[ -~]+$/.test(decoded) ? ([name, decoded] as const) : undefined;
    });
    return pairs instanceof NotAllowed ? pairs : Object.fromEntries(pairs);
  },
};

/** An address or a name to listen on. */
export const host: Kind<string> = {
  allowed: 'an IP address or a host name, without a port',
  parse: (value) => {
    const name = value.trim();
    const isName = /^[A-Za-z0-9_]([A-Za-z0-9._-]{0,252})$/.test(name);
    return isName || (name.includes(':') && URL.canParse(`http://[${name}]/`)) ? name : new NotAllowed();
  },
};

/** One mail address. The host need not have a dot. */
export const mailbox: Kind<string> = {
  allowed: 'one mail address, like mirzam@example.org',
  parse: (value) =>
    /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(value.trim())
      ? value.trim()
      : new NotAllowed(),
};

/** A time zone. */
export const timeZone: Kind<string> = {
  allowed: 'the IANA name of a time zone, like Europe/Berlin',
  parse: (value) => (isZone(value.trim()) ? value.trim() : new NotAllowed()),
};

/** An http or https URL that is used as written, without credentials and fragment. */
export const endpointUrl: Kind<string> = {
  allowed: 'an http or https URL without credentials and fragment',
  parse: (value) => addressOf(value, ['http:', 'https:']),
};

/** An http or https URL to which paths are appended: without a query, and without a trailing slash. */
export const httpUrl: Kind<string> = {
  allowed: 'an http or https URL without credentials, query and fragment',
  parse: (value) => {
    const url = endpointUrl.parse(value);
    if (url instanceof NotAllowed) return url;
    return url.includes('?') ? new NotAllowed('it has a query') : url.replace(/\/+$/, '');
  },
};

/** Prefixes of addresses, without a trailing slash. Their segments are compared as written. */
export const urlPrefixes: Kind<readonly string[]> = {
  allowed:
    'http or https URLs without credentials, query, fragment, percent-encoding and empty segments, separated by commas',
  parse: (value) =>
    each(value, (part) => {
      const url = httpUrl.parse(part);
      return url instanceof NotAllowed || /%|[^:]\/\//.test(url) ? undefined : url;
    }),
};

/** JSON-RPC address of a node of the chain, used as written. May contain an API key. */
export const rpcUrl: Kind<string> = {
  allowed: 'an http, https, ws or wss URL without credentials and fragment',
  parse: (value) => addressOf(value, ['http:', 'https:', 'ws:', 'wss:']),
};

/** Address of a transaction in a block explorer, with `{hash}` for the hash of the transaction. */
export const explorerUrl: Kind<string> = {
  allowed:
    'an http or https URL without credentials, like https://etherscan.io, or one with {hash} where the transaction’s hash belongs',
  parse: (value) => {
    const [start = '', ...rest] = value.trim().split('{hash}');
    if (rest.length === 0) {
      const url = httpUrl.parse(start);
      return url instanceof NotAllowed ? url : `${url.replace(/\/tx$/, '')}/tx/{hash}`;
    }
    // The host must not depend on a transaction.
    const prefix = addressOf(start, ['http:', 'https:']);
    if (prefix instanceof NotAllowed) return prefix;
    return rest.length === 1 ? value.trim() : new NotAllowed('it has {hash} twice');
  },
};

/** URL of a mail server. May contain credentials. */
export const smtpUrl: Kind<string> = {
  allowed: 'an smtp or smtps URL, like smtp://user:password@mail.example.org:587',
  parse: (value) => urlOf(value, ['smtp:', 'smtps:'])?.href ?? new NotAllowed(),
};

/** URL of an MQTT broker. May contain credentials, percent-encoded. */
export const mqttUrl: Kind<string> = {
  allowed: 'an mqtt or mqtts URL without path and query, like mqtts://user:password@mqtt.example.org:8883',
  parse: (value) => {
    const url = urlOf(value, ['mqtt:', 'mqtts:']);
    if (url === undefined || url.search !== '' || url.hash !== '') return new NotAllowed();
    if (url.pathname !== '' && url.pathname !== '/') return new NotAllowed('it has a path');
    return [url.username, url.password].every(isPercentEncoded)
      ? url.href
      : new NotAllowed('a % in the user or the password is written as %25');
  },
};

/** A name that an MQTT broker gets: that of a client, or of a group of a shared subscription. */
export const mqttName: Kind<string> = {
  allowed: '1 to 128 letters, digits and . _ : -',
  parse: (value) => (/^[\w.:-]{1,128}$/.test(value.trim()) ? value.trim() : new NotAllowed()),
};

/** A MongoDB connection string. It may name several hosts, so only the driver can validate it. */
export const mongodbUrl: Kind<string> = {
  allowed: 'a mongodb:// or mongodb+srv:// connection string',
  parse: (value) => (/^mongodb(\+srv)?:\/\/[^/\s]\S*$/.test(value.trim()) ? value.trim() : new NotAllowed()),
};

/** Origins in the form of `URL`: scheme and host in lower case, without a default port. */
export const origins: Kind<readonly string[]> = {
  allowed: 'http or https origins like http://10.0.0.7:9000, separated by commas',
  parse: (value) =>
    each(value, (part) => {
      const url = urlOf(part, ['http:', 'https:']);
      return url !== undefined && `${url.origin}/` === url.href ? url.origin : undefined;
    }),
};

/** Users of the embedded identity. */
export const users: Kind<readonly User[]> = {
  allowed: 'tenant:user:password, several separated by commas; a tenant is 1 to 256 of A-Z a-z 0-9 _ and -',
  parse: (value) => {
    const parsed = each(value, (part) => {
      const [, tenant = '', user = '', password = ''] =
        /^([\w-]{1,256}):([^:\p{Cc}]+):(\P{Cc}+)$/u.exec(part) ?? [];
      return password === '' ? undefined : { tenant, user, password };
    });
    if (parsed instanceof NotAllowed) return parsed;
    const names = new Set(parsed.map(({ tenant, user }) => `${tenant}:${user}`));
    return names.size < parsed.length ? new NotAllowed('a user of a tenant is named twice') : parsed;
  },
};

const PLACEHOLDER = '{tenant}';

/** A tenant of a context broker, with a placeholder for the tenant of the service. */
export const brokerTenant: Kind<string> = {
  allowed: `1 to 256 letters, digits and . _ : -, with ${PLACEHOLDER} in place of the tenant's id`,
  parse: (value) => {
    const tenant = value.trim();
    return /^[\w.:-]{1,256}$/.test(tenant.replaceAll(PLACEHOLDER, '_')) ? tenant : new NotAllowed();
  },
};

/** A service path of FIWARE. Orion loses the wildcard `/#` of a subscription with its first renewal. */
export const servicePath: Kind<string> = {
  allowed: 'an absolute path of at most 10 levels, each of at most 50 letters, digits and _',
  parse: (value) => {
    const path = value.trim();
    return /^(?:\/|(?:\/\w{1,50}){1,10})$/.test(path) ? path : new NotAllowed();
  },
};

/** Returns the tenant at the broker for a tenant of the service; undefined without BROKER_TENANT. */
export function brokerTenantOf(setting: string | undefined, tenantId: string): string | undefined {
  return setting?.replaceAll(PLACEHOLDER, () => tenantId);
}

/** Parses the parts between commas. The fault names the first part for which `parse` returns undefined. */
function each<T>(text: string, parse: (part: string) => T | undefined): T[] | NotAllowed {
  const values: T[] = [];
  for (const [index, part] of text.split(',').entries()) {
    const value = parse(part.trim());
    if (value === undefined) return new NotAllowed(`number ${index + 1} of the list is wrong`);
    values.push(value);
  }
  return values;
}

function addressOf(text: string, protocols: readonly string[]): string | NotAllowed {
  const url = urlOf(text, protocols);
  if (url === undefined) return new NotAllowed();
  if (url.username !== '' || url.password !== '') return new NotAllowed('it holds credentials');
  return url.hash === '' ? url.href : new NotAllowed('it has a fragment');
}

function urlOf(text: string, protocols: readonly string[]): URL | undefined {
  const trimmed = text.trim();
  // `URL` would repair "http:host". A setting that needs a repair is a fault.
  if (!/^[a-z]+:\/\/[^/\s]\S*$/i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  return protocols.includes(url.protocol) && url.hostname !== '' ? url : undefined;
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
