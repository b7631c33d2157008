import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Received, type StandIn, answerJson, standIn } from './stand-in.js';

/** A token that the stand-in has issued. */
interface Issued {
  readonly tenant: string | undefined;
  readonly expires: number;
  readonly admin: boolean;
}

/** Keystone with its Identity API v2.0 below `/v2.0`, as OpenStack documents it. */
export interface KeystoneV2StandIn extends StandIn {
  /** Issues a token of a tenant or of none. It expires after `ttlS` seconds. */
  issue(tenant: string | undefined, ttlS: number): string;
  revoke(token: string): void;
  /** Tokens issued for the admin's credentials so far, in order. */
  readonly logins: readonly string[];
  /** Changes the accepted credentials. */
  password: string;
  /** A user who may log in, besides the admin. */
  readonly user: { readonly tenant: string; readonly user: string; readonly password: string };
  /** True if a user may verify the tokens of others. */
  adminRole: boolean;
}

/** Credentials of the admin. */
export const ADMIN = { tenant: 'service', user: 'policies', password: 'pa55-of-the-service' };

/** Credentials of a user. */
const USER = { tenant: 'acme', user: 'alice', password: 'pa55-of-alice' };

/** Lifetime of a token issued by a login, s. */
export const LOGIN_TTL_S = 3_600;

/** Starts one; `now` is its clock, in ms since the epoch. */
export async function keystoneV2StandIn(now: () => number): Promise<KeystoneV2StandIn> {
  const tokens = new Map<string, Issued>();
  const logins: string[] = [];
  const valid = (id: string) => {
    const token = tokens.get(id);
    return token !== undefined && token.expires > now() ? token : undefined;
  };

  function add(tenant: string | undefined, ttlS: number, admin: boolean): string {
    const id = randomUUID().replaceAll('-', '');
    tokens.set(id, { tenant, expires: now() + ttlS * 1000, admin });
    return id;
  }

  function login({ body }: Received, response: ServerResponse): void {
    const { auth } = JSON.parse(body) as {
      auth: { tenantName: string; passwordCredentials: { username: string; password: string } };
    };
    const { username, password } = auth.passwordCredentials;
    const asked = { tenant: auth.tenantName, user: username, password };
    if (JSON.stringify(asked) === JSON.stringify(USER)) {
      const id = add(USER.tenant, LOGIN_TTL_S, false);
      answerJson(response, 200, accessOf(id, tokens.get(id)));
      return;
    }
    const known =
      auth.tenantName === ADMIN.tenant && username === ADMIN.user && password === service.password;
    if (!known) {
      fault(response, 401, 'The request you have made requires authentication.', 'Unauthorized');
      return;
    }
    const id = add(ADMIN.tenant, LOGIN_TTL_S, service.adminRole);
    logins.push(id);
    answerJson(response, 200, accessOf(id, tokens.get(id)));
  }

  function validate({ path, headers }: Received, response: ServerResponse): void {
    const own = valid(String(headers['x-auth-token']));
    const id = decodeURIComponent(path.slice('/v2.0/tokens/'.length));
    const subject = valid(id);
    if (own === undefined)
      fault(response, 401, 'The request you have made requires authentication.', 'Unauthorized');
    else if (!own.admin) fault(response, 403, 'You are not authorized to perform this action.', 'Forbidden');
    else if (subject === undefined) fault(response, 404, `Could not find token: ${id}`, 'Not Found');
    else answerJson(response, 200, accessOf(id, subject));
  }

  const server = await standIn((request, response) => {
    if (request.method === 'POST' && request.path === '/v2.0/tokens') login(request, response);
    else if (request.method === 'GET' && /^\/v2\.0\/tokens\/[^/?]+$/.test(request.path))
      validate(request, response);
    else fault(response, 404, 'The resource could not be found.', 'Not Found');
  });

  const service: KeystoneV2StandIn = {
    ...server,
    url: `${server.url}/v2.0`,
    issue: (tenant, ttlS) => add(tenant, ttlS, false),
    revoke: (token) => tokens.delete(token),
    logins,
    password: ADMIN.password,
    user: USER,
    adminRole: true,
  };
  return service;
}

function accessOf(id: string, token: Issued | undefined): unknown {
  const expires = new Date(token?.expires ?? 0).toISOString().replace(/\.\d+Z$/, 'Z');
  const tenant = token?.tenant && {
    description: null,
    enabled: true,
    id: `${token.tenant}-id`,
    name: token.tenant,
  };
  return {
    access: {
      token: { issued_at: '2014-01-30T15:30:58.819584', expires, id, ...(tenant ? { tenant } : {}) },
      user: {
        username: 'somebody',
        roles_links: [],
        id: 'u1',
        roles: [{ name: '_member_' }],
        name: 'somebody',
      },
      serviceCatalog: [],
      metadata: { is_admin: 0, roles: [] },
    },
  };
}

function fault(response: ServerResponse, code: number, message: string, title: string): void {
  answerJson(response, code, { error: { message, code, title } });
}

/** Answers the service's own login, with a token until `expires`; false for any other request. */
export function answeredLogin({ method }: Received, response: ServerResponse, expires: string): boolean {
  if (method !== 'POST') return false;
  answerJson(response, 200, { access: { token: { id: 'own-t0ken', expires } } });
  return true;
}
