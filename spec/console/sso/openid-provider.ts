import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import {
  type Adapter,
  type AdapterPayload,
  type Configuration,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { listenReserved } from '../../servers/ports.js';

/** A person at the provider: the claims by which the service knows them. */
export type Person = Readonly<Record<string, unknown>>;

/** A real OpenID provider, over HTTP. */
export interface SpecProvider {
  /** The settings of a service that uses it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly issuer: string;
  /** Makes the provider answer, for a service at this address. Until then it answers 503. */
  serve(url: string): void;
  /** Makes it answer 503 from now on. */
  fail(): void;
  close(): Promise<void>;
}

/** The key that signs the tokens of all providers of a process: RSA keys take long to make. */
let signing: Promise<JWK> | undefined;

async function signingKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' };
}

const CLIENT = { id: 'mirzam-spec', secret: 'a-secret-of-the-client-that-nobody-sees' };

/**
 * Starts a provider whose people log in by their name, without a password. `people`: by name. With `thin` ID tokens the claims
 * come from the userinfo endpoint alone.
 */
export async function startProvider(
  people: Readonly<Record<string, Person>>,
  { thin = false }: { readonly thin?: boolean } = {},
): Promise<SpecProvider> {
  const key = await (signing ??= signingKey());
  let handler: RequestListener = unavailable;
  const server = createServer((req, res) => handler(req, res));
  const issuer = `http://127.0.0.1:${await listenReserved(server)}`;
  return {
    issuer,
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_OPERATOR_CLAIM: 'realm_access.roles',
      OIDC_OPERATOR_VALUE: 'mirzam-operator',
    },
    serve(url) {
      const answer = providerFor(issuer, { url, people, thin, key }).callback();
      handler = (req, res) => void answer(req, res);
    },
    fail() {
      handler = unavailable;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const unavailable: RequestListener = (_, res) => void res.writeHead(503).end();

function providerFor(
  issuer: string,
  options: {
    readonly url: string;
    readonly people: Readonly<Record<string, Person>>;
    readonly thin: boolean;
    readonly key: JWK;
  },
): Provider {
  const { url, people, thin, key } = options;
  const kept = new Map<string, AdapterPayload>();
  const configuration: Configuration = {
    adapter: (model) => memory(kept, model),
    jwks: { keys: [key] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${url}/console/login/callback`],
        post_logout_redirect_uris: [`${url}/console/login`],
      },
    ],
    cookies: { keys: ['a key of the provider in a spec'] },
    claims: {
      openid: ['sub', 'tenant', 'realm_access'],
      profile: ['name', 'preferred_username'],
      email: ['email'],
    },
    conformIdTokenClaims: thin,
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    loadExistingGrant: grantOf,
    interactions: { url: (_, { uid }) => `/login/${uid}` },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true, logoutSource: askLogout },
    },
    renderError: (ctx, { error }) => page(ctx, `<h1>Refused by the provider: ${error}</h1>`),
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  };
  const provider = new Provider(issuer, configuration);
  provider.use((ctx, next) => (ctx.path.startsWith('/login/') ? logIn(provider, ctx) : next()));
  return provider;
}

/** What the provider keeps, by model and id. */
function memory(kept: Map<string, AdapterPayload>, model: string): Adapter {
  const find = async (id: string) => kept.get(`${model} ${id}`);
  return {
    find,
    findByUserCode: () => Promise.resolve(undefined),
    findByUid: async (uid) =>
      [...kept].find(([key, value]) => key.startsWith(`${model} `) && value.uid === uid)?.[1],
    upsert: async (id, payload) => void kept.set(`${model} ${id}`, payload),
    consume: async (id) => {
      const payload = await find(id);
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => void kept.delete(`${model} ${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [key, { grantId: own }] of kept) if (own === grantId) kept.delete(key);
    },
  };
}

/** The people of a spec have agreed that this client may see their claims. */
async function grantOf({ oidc }: KoaContextWithOIDC) {
  const { client, session, params } = oidc;
  const grant = new oidc.provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
  grant.addOIDCScope(String(params?.['scope']));
  await grant.save();
  return grant;
}

/** The page on which a person logs in: GET shows the form, and its POST has the name. */
async function logIn(provider: Provider, ctx: Parameters<Parameters<Provider['use']>[0]>[0]): Promise<void> {
  if (ctx.method !== 'POST') {
    return page(
      ctx,
      '<h1>Provider</h1><form method="post"><label>Name <input name="name"></label><button>Enter</button></form>',
    );
  }
  let body = '';
  for await (const chunk of ctx.req) body += String(chunk);
  const name = new URLSearchParams(body).get('name') ?? '';
  const result =
    name === 'nobody'
      ? { error: 'access_denied', error_description: 'nobody may enter' }
      : { login: { accountId: name } };
  await provider.interactionFinished(ctx.req, ctx.res, result);
  ctx.respond = false;
}

function askLogout(ctx: KoaContextWithOIDC, form: string): void {
  page(
    ctx,
    `<h1>Leave?</h1>${form}<button type="submit" form="op.logoutForm" value="yes" name="logout">Leave</button>`,
  );
}

function page(ctx: { type: string; body: unknown }, content: string): void {
  ctx.type = 'html';
  ctx.body = `<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,">${content}</html>`;
}
