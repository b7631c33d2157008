import { randomUUID } from 'node:crypto';
import type { Keystone } from '../servers/keystone.js';

/** A user with a role in a project of its own. */
interface Member {
  readonly user: string;
  readonly password: string;
  readonly project: { readonly id: string; readonly name: string };
}

/** Operations of a spec at a Keystone, apart from verifying tokens. */
export interface KeystoneApi {
  /** A new project and a new user in it, with the role `member`. */
  member(): Promise<Member>;
  /** A token of that user: of its project, or of none. */
  token(member: Member, scoped: boolean): Promise<string>;
  revoke(token: string): Promise<void>;
  changePassword(member: Member, password: string): Promise<void>;
}

const DOMAIN = { id: 'default' };

/** Opens the API as Keystone's first user. */
export async function keystoneApi({ url, admin }: Keystone): Promise<KeystoneApi> {
  const own = await login(url, { name: admin.user, password: admin.password }, admin.tenant);

  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = { 'x-auth-token': own, 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async function userId(name: string): Promise<string> {
    const { users } = (await call('GET', `/users?name=${name}`)) as { users: { id: string }[] };
    return users[0]?.id ?? '';
  }

  return {
    async member() {
      const name = `project-${randomUUID()}`;
      const user = `user-${randomUUID()}`;
      const password = randomUUID();
      const { project } = (await call('POST', '/projects', { project: { name, domain_id: DOMAIN.id } })) as {
        project: { id: string };
      };
      await call('POST', '/users', { user: { name: user, password, domain_id: DOMAIN.id } });
      const { roles } = (await call('GET', '/roles?name=member')) as { roles: { id: string }[] };
      await call('PUT', `/projects/${project.id}/users/${await userId(user)}/roles/${roles[0]?.id}`);
      return { user, password, project: { id: project.id, name } };
    },
    token: ({ user, password, project }, scoped) =>
      login(url, { name: user, password }, scoped ? project.name : undefined),
    async revoke(token) {
      const headers = { 'x-auth-token': own, 'x-subject-token': token };
      const response = await fetch(`${url}/auth/tokens`, { method: 'DELETE', headers });
      if (response.status !== 204) throw new Error(`DELETE /auth/tokens: ${response.status}`);
    },
    async changePassword({ user }, password) {
      await call('PATCH', `/users/${await userId(user)}`, { user: { password } });
    },
  };
}

async function login(
  url: string,
  user: { readonly name: string; readonly password: string },
  project: string | undefined,
): Promise<string> {
  const scope = project === undefined ? {} : { scope: { project: { name: project, domain: DOMAIN } } };
  const identity = { methods: ['password'], password: { user: { ...user, domain: DOMAIN } } };
  const response = await fetch(`${url}/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth: { identity, ...scope } }),
  });
  const token = response.headers.get('x-subject-token');
  await response.arrayBuffer();
  if (token === null) throw new Error(`POST /auth/tokens: ${response.status}`);
  return token;
}
