import type { Command } from 'commander';
import type { Environment } from '../config/read-values.js';
import { keystoneV2, keystoneV3 } from '../identity/keystone.js';
import { fieldOf } from '../untrusted/json.js';
import { reasonOf } from '../untrusted/reason.js';
import { type CommandContext, Failure } from './context.js';

const DEFAULT_URL = 'http://localhost:8080';
/** Longest time of a login, ms. */
const TIMEOUT_MS = 60_000;

/** Options that say which service a command asks, and as whom. Those that are not given come from the environment. */
export interface ServiceOptions {
  readonly mirzamUrl?: string;
  readonly mirzamToken?: string;
  readonly mirzamTenant?: string;
  readonly mirzamUser?: string;
  readonly mirzamPassword?: string;
  readonly mirzamAuthUrl?: string;
  readonly operatorToken?: string;
}

/** Adds the options of `tenantService` to a command. */
export function withTenantOptions(command: Command): Command {
  return withUrl(command)
    .option('--mirzam-token <TOKEN>', 'a token of the tenant (MIRZAM_TOKEN)')
    .option('--mirzam-tenant <NAME>', 'the tenant (MIRZAM_TENANT)')
    .option('--mirzam-user <NAME>', 'instead of a token, a user of the tenant (MIRZAM_USER)')
    .option(
      '--mirzam-password <PASSWORD>',
      'its password; other users of the machine see it (MIRZAM_PASSWORD)',
    )
    .option(
      '--mirzam-auth-url <URL>',
      'where the user logs in: Keystone’s …/v2.0 or …/v3; by default at the service (MIRZAM_AUTH_URL)',
    )
    .option('--operator-token <TOKEN>', 'instead of both, the token of operators (OPERATOR_TOKEN)');
}

/** Adds the options of `operatorService` to a command. */
export function withOperatorOptions(command: Command): Command {
  return withUrl(command).option(
    '--operator-token <TOKEN>',
    'the token of operators, if the service has one (OPERATOR_TOKEN)',
  );
}

function withUrl(command: Command): Command {
  return command.option(
    '--mirzam-url <URL>',
    `the address of the service; by default ${DEFAULT_URL} (MIRZAM_URL)`,
  );
}

/** An answer of the service with a status below 400. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined for another type of content, or none. */
  readonly body: unknown;
}

/** A request that is sent as it is; `body` becomes JSON. Members of `query` that are undefined are left out. */
export interface ServiceRequest {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** The service refused a request. `status` is that of HTTP, `detail` the service's own message. */
export class ServiceRefusal extends Failure {
  override readonly name = 'ServiceRefusal';
  readonly status: number;
  readonly detail: string;

  constructor(request: string, status: number, detail: string, advice: string) {
    super(`the service refuses ${request} (${status}): ${detail}${advice}`);
    this.status = status;
    this.detail = detail;
  }
}

/** A service that a command asks. */
export interface AskedService {
  /** Its address, without a trailing slash. */
  readonly url: string;
  /**
   * Sends a request. `path`: segments, each of which is escaped; those of a `TenantService` are below /v1.0/{tenantId}.
   * Throws `ServiceRefusal` for a status from 400, and `Failure` if the service does not answer.
   */
  request(method: string, path: readonly string[], request?: ServiceRequest): Promise<ServiceAnswer>;
  /** As `request`, with GET, for an answer that is read as a stream. */
  stream(path: readonly string[]): Promise<Response>;
}

/** A service that a command asks as a tenant. */
export interface TenantService extends AskedService {
  /** The tenant's id or name. */
  readonly tenant: string;
}

/**
 * Returns the service for a tenant, logged in. `tenant`: the one that a file names; it must be that of the settings, if
 * they name one. Throws `Failure` that says which setting is missing, wrong or refused.
 */
export async function tenantService(
  context: Pick<CommandContext, 'environment' | 'version'>,
  options: ServiceOptions,
  tenant?: string,
): Promise<TenantService> {
  const read = settingsOf(context.environment(), options);
  const set = read('MIRZAM_TENANT');
  if (tenant !== undefined && set !== undefined && tenant !== set) {
    throw new Failure(
      `the file is of tenant ${tenant}, and MIRZAM_TENANT names ${set}: set one of them to the other`,
    );
  }
  const named = tenant ?? set;
  if (named === undefined)
    throw new Failure('no tenant is named: set MIRZAM_TENANT, or give --mirzam-tenant');
  const url = urlOf(read);
  const credentials = await credentialsOf(read, url, named);
  return {
    ...asked({ url, version: context.version, ...credentials, root: ['v1.0', named] }),
    tenant: named,
  };
}

/** Returns the token of a tenant or of operators, and the setting that it comes from. */
async function credentialsOf(
  read: Read,
  url: string,
  tenant: string,
): Promise<Pick<Asked, 'token' | 'setting'>> {
  const own = read('MIRZAM_TOKEN');
  if (own !== undefined) return { token: own, setting: 'MIRZAM_TOKEN' };
  const operators = read('MIRZAM_USER') === undefined ? read('OPERATOR_TOKEN') : undefined;
  if (operators !== undefined) return { token: operators, setting: 'OPERATOR_TOKEN' };
  return { token: await loggedIn(read, url, tenant), setting: 'MIRZAM_TOKEN' };
}

/** Returns the service for operators. Without OPERATOR_TOKEN it must run on this machine. Throws `Failure`. */
export function operatorService(
  context: Pick<CommandContext, 'environment' | 'version'>,
  options: ServiceOptions,
): AskedService {
  const read = settingsOf(context.environment(), options);
  const token = read('OPERATOR_TOKEN');
  return asked({ url: urlOf(read), version: context.version, token, setting: 'OPERATOR_TOKEN', root: [] });
}

type Read = ReturnType<typeof settingsOf>;

/** Returns a function that reads a setting: the option, else the variable. Empty ones are not set. */
function settingsOf(environment: Environment, options: ServiceOptions) {
  return (name: string): string | undefined => {
    const option = name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return options[option as keyof ServiceOptions] || environment[name] || undefined;
  };
}

function urlOf(read: Read): string {
  return webUrl('MIRZAM_URL', read('MIRZAM_URL') ?? DEFAULT_URL, 'the service');
}

function webUrl(name: string, text: string, what: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new Failure(`${name} must be the http or https URL of ${what}, such as ${DEFAULT_URL}`);
}

/** Returns a token of the tenant, from Keystone or from the identity of the service. */
async function loggedIn(read: Read, serviceUrl: string, tenant: string): Promise<string> {
  const [user, password] = [read('MIRZAM_USER'), read('MIRZAM_PASSWORD')];
  if (user === undefined || password === undefined) {
    const missing = user === undefined ? 'MIRZAM_USER' : 'MIRZAM_PASSWORD';
    throw new Failure(
      `${missing} is not set: set MIRZAM_TOKEN, or MIRZAM_USER and MIRZAM_PASSWORD, or OPERATOR_TOKEN`,
    );
  }
  const given = read('MIRZAM_AUTH_URL');
  const url =
    given === undefined ? `${serviceUrl}/identity/v2.0` : webUrl('MIRZAM_AUTH_URL', given, 'Keystone');
  const credentials = { tenant, user, password };
  const keystone = /\/v3\/?$/.test(url) ? keystoneV3 : keystoneV2;
  const identity = keystone({ url, admin: credentials, timeoutMs: TIMEOUT_MS });
  const token = await identity.login(credentials).catch((error: unknown) => {
    const elsewhere =
      given === undefined
        ? 'see that the service runs, and set MIRZAM_AUTH_URL if users log in elsewhere'
        : 'check MIRZAM_AUTH_URL';
    throw new Failure(`no login at ${url}: ${reasonOf(error)}; ${elsewhere}`, { cause: error });
  });
  if (token === undefined) {
    throw new Failure('the login is refused: check MIRZAM_TENANT, MIRZAM_USER and MIRZAM_PASSWORD');
  }
  return token;
}

interface Asked {
  readonly url: string;
  readonly version: string;
  readonly token: string | undefined;
  /** The setting to check if the service refuses the token. */
  readonly setting: 'MIRZAM_TOKEN' | 'OPERATOR_TOKEN';
  readonly root: readonly string[];
}

function asked({ url, version, token, setting, root }: Asked): AskedService {
  const headers = {
    accept: 'application/json, application/x-ndjson',
    'user-agent': `mirzam-command/${version}`,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const send = async (method: string, path: readonly string[], { query = {}, body }: ServiceRequest = {}) => {
    const target = [...root, ...path].map((segment) => `/${encodeURIComponent(segment)}`).join('');
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
    const response = await fetch(url + target + search, {
      method,
      redirect: 'manual',
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new Failure(
        `no service answers at ${url} (${reasonOf(error)}): start it with "mirzam", or set MIRZAM_URL`,
        { cause: error },
      );
    });
    if (response.status < 300) return response;
    throw refusalOf(`${method} ${target}`, response.status, await response.text(), setting);
  };
  return {
    url,
    request: async (method, path, request) => answered(await send(method, path, request)),
    stream: (path) => send('GET', path),
  };
}

async function answered(response: Response): Promise<ServiceAnswer> {
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? parsed(text) : undefined,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the error for a status of a request, with the service's message and what to do. */
function refusalOf(request: string, status: number, text: string, setting: Asked['setting']): ServiceRefusal {
  const body = parsed(text);
  const message = fieldOf(body, 'error', 'message') ?? fieldOf(body, 'detail') ?? fieldOf(body, 'title');
  const advice =
    status === 401
      ? `; check ${setting}`
      : typeof message === 'string'
        ? ''
        : '; check that MIRZAM_URL is the address of a Mirzam service';
  return new ServiceRefusal(
    request,
    status,
    typeof message === 'string' ? message : 'no reason given',
    advice,
  );
}
