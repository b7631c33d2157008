import type * as openIdClient from 'openid-client';
import { Refusal } from '../errors.js';
import { cachedValue } from '../system/ttl-cache.js';
import { oneLine } from '../untrusted/text.js';
import type { Claims } from './claims.js';
import { IdentityUnavailable } from './port.js';

/** Path to which the provider sends browsers back: `redirect_uri` is PUBLIC_URL with it. */
export const CALLBACK_PATH = '/console/login/callback';
/** Longest wait for an answer of the provider, s. */
const TIMEOUT_S = 5;
/** Difference of the clocks of provider and service that is allowed, s. */
const SKEW_S = 60;
/** How long the provider's published metadata is used, ms. */
const METADATA_MS = 3_600_000;
/** Least pause between two attempts to read it that no login asked for, ms. */
const PAUSE_MS = 5_000;
/** Longest text of the provider in a message, characters. */
const QUOTED = 200;

/** Settings of the OpenID provider, and who is told of its failures. */
export interface OpenIdOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** undefined: a public client. */
  readonly clientSecret: string | undefined;
  /** Separated by blanks; `openid` among them. */
  readonly scope: string;
  /** Returns the address to which the provider sends browsers back. */
  readonly redirectUri: () => string;
  /** Called when the provider becomes unusable, with the reason, and when it is usable again, with undefined. */
  readonly onChange: (problem: string | undefined) => void;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** What the callback of a login must match. The browser keeps it encrypted. */
export interface LoginSecrets {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636). */
  readonly verifier: string;
}

/** A verified login. */
export interface VerifiedLogin {
  /** Of the ID token, and of the userinfo endpoint as far as `wanted` needs it. */
  readonly claims: Claims;
  readonly idToken: string;
}

/** An OpenID provider at which people log in. */
export type OpenIdProvider = ReturnType<typeof openIdProvider>;

/**
 * Makes the client of an OpenID provider: authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0). It
 * reads the provider's metadata when it is first needed, and again after a failure: a provider that is down stops no start.
 */
export function openIdProvider(options: OpenIdOptions) {
  const { issuer, clientId, redirectUri, scope, onChange, now } = options;
  let current: Configuration | undefined;
  let failure: { readonly problem: string; readonly at: number } | undefined;

  const load = async (): Promise<Configuration> => {
    try {
      current = await discovered(options);
      if (failure !== undefined) onChange(undefined);
      failure = undefined;
      return current;
    } catch (cause) {
      const problem = `The OpenID provider ${originOf(issuer)} cannot be used: ${reasonOf(cause)}.`;
      if (failure?.problem !== problem) onChange(problem);
      failure = { problem, at: now() };
      throw new IdentityUnavailable(problem, { cause });
    }
  };
  const configuration = cachedValue({ ttlMs: METADATA_MS, now, load });

  return {
    /** Returns why the last attempt to reach the provider failed; undefined if it did not. */
    problem: (): string | undefined => failure?.problem,

    /** Tries to reach a provider that was not reached before, without a wait. */
    check(): void {
      const hasPaused = failure === undefined || Math.abs(now() - failure.at) >= PAUSE_MS;
      if ((current === undefined || failure !== undefined) && hasPaused) {
        configuration.get().catch(() => undefined);
      }
    },

    /**
     * Asks for tokens with a code that nobody has issued: the answer shows whether the provider knows this client. Returns why
     * it does not; undefined if it does. Throws `IdentityUnavailable`.
     */
    async clientProblem(): Promise<string | undefined> {
      const [client, config] = [await clientModule(), await configuration.get()];
      const parameters = {
        code: 'mirzam-asks-with-a-code-that-nobody-has-issued',
        redirect_uri: redirectUri(),
        code_verifier: client.randomPKCECodeVerifier(),
      };
      try {
        await client.genericGrantRequest(config, 'authorization_code', parameters);
        return undefined;
      } catch (error) {
        const found = loginError(client, error);
        return found instanceof IdentityUnavailable ? found.message : undefined;
      }
    },

    /** Begins a login. Returns the address that the browser goes to. Throws `IdentityUnavailable`. */
    async begin(): Promise<{ readonly url: string; readonly secrets: LoginSecrets }> {
      const [client, config] = [await clientModule(), await configuration.get()];
      const secrets = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri(),
        scope,
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, secrets };
    },

    /**
     * Verifies a callback: its state, code, issuer, and the ID token with signature, nonce, audience and times. `query` is that
     * of the callback. Asks the userinfo endpoint if the ID token lacks one of the claims that `isComplete` needs. Throws
     * `Refusal('unauthorized')` that says what to do, and `IdentityUnavailable`.
     */
    async finish(
      query: string,
      secrets: LoginSecrets,
      isComplete: (claims: Claims) => boolean,
    ): Promise<VerifiedLogin> {
      const [client, config] = [await clientModule(), await configuration.get()];
      const callback = new URL(redirectUri());
      callback.search = query;
      try {
        const tokens = await client.authorizationCodeGrant(config, callback, {
          expectedState: secrets.state,
          expectedNonce: secrets.nonce,
          pkceCodeVerifier: secrets.verifier,
          idTokenExpected: true,
        });
        const idToken = tokens.id_token ?? '';
        const claims: Claims = { ...tokens.claims() };
        const hasUserinfo = config.serverMetadata().userinfo_endpoint !== undefined;
        if (isComplete(claims) || !hasUserinfo) return { claims, idToken };
        const more = await client.fetchUserInfo(config, tokens.access_token, String(claims['sub']));
        return { claims: { ...more, ...claims }, idToken };
      } catch (error) {
        throw loginError(client, error);
      }
    },

    /** Returns the address that ends the session at the provider; undefined if it has none, or was never reached. */
    logoutUrl(idToken: string | undefined, returnTo: string): string | undefined {
      const endpoint = current?.serverMetadata().end_session_endpoint;
      if (endpoint === undefined) return undefined;
      const url = new URL(endpoint);
      url.searchParams.set('client_id', clientId);
      url.searchParams.set('post_logout_redirect_uri', returnTo);
      if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken);
      return url.href;
    },
  };
}

type Client = typeof openIdClient;
type Configuration = openIdClient.Configuration;

/** Loads the package, which a service without an OpenID provider does not need. */
const clientModule = (): Promise<Client> => import('openid-client');

async function discovered({ issuer, clientId, clientSecret }: OpenIdOptions): Promise<Configuration> {
  const client = await clientModule();
  const execute = [client.enableNonRepudiationChecks];
  // oxlint-disable-next-line typescript/no-deprecated -- a trial has no https; the settings refuse http in production
  if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
  const metadata = { [client.clockTolerance]: SKEW_S };
  const auth = clientSecret === undefined ? client.None() : eitherAuth(client, clientSecret);
  const config = await client.discovery(new URL(issuer), clientId, metadata, auth, {
    execute,
    timeout: TIMEOUT_S,
  });
  config.timeout = TIMEOUT_S;
  return config;
}

/** Authenticates the client as the provider says that it accepts; the default is Basic (OpenID Connect Discovery 1.0). */
function eitherAuth(client: Client, secret: string): ReturnType<Client['ClientSecretBasic']> {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** Returns what a failed callback means for the person who logs in. */
function loginError(client: Client, error: unknown): Error {
  const again = 'Log in again.';
  if (error instanceof client.AuthorizationResponseError) {
    return new Refusal(
      'unauthorized',
      `The OpenID provider refused the login: ${quotedError(error)}. Ask its administrator, or log in again.`,
    );
  }
  if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') {
    return new Refusal('unauthorized', `The login has expired, or was used already. ${again}`, {
      cause: error,
    });
  }
  if (error instanceof client.ResponseBodyError) {
    return new IdentityUnavailable(
      `The OpenID provider refused this service: ${quotedError(error)}. Whoever operates the service must check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.`,
      { cause: error },
    );
  }
  if (error instanceof client.WWWAuthenticateChallengeError) {
    return new IdentityUnavailable(
      `The OpenID provider answered ${error.status} to this service. Whoever operates the service must check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.`,
      { cause: error },
    );
  }
  if (isUnreachable(error)) {
    return new IdentityUnavailable(`The OpenID provider failed: ${reasonOf(error)}. ${again}`, {
      cause: error,
    });
  }
  return new Refusal(
    'unauthorized',
    `The answer of the OpenID provider is not valid: ${reasonOf(error)}. ${again} If it stays so, compare the clocks of provider and service, and OIDC_ISSUER.`,
    { cause: error },
  );
}

function quotedError({
  error,
  error_description: more,
}: {
  error: string;
  error_description?: string;
}): string {
  return oneLine(more === undefined ? error : `${error}, ${more}`, QUOTED);
}

/** The connection failed, no answer came in time, or one of an overload. */
function isUnreachable(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const failed = cause instanceof Response && cause.status >= 500;
  return failed || error instanceof TypeError || codeOf(error) === 'OAUTH_TIMEOUT';
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Returns the innermost cause in words: that of a failed connection is behind "fetch failed". */
function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  if (!(inner instanceof Error)) return 'unknown';
  if (inner.cause instanceof Response) return `it answered ${inner.cause.status}`;
  const text = inner.message === '' ? (codeOf(inner) ?? inner.name) : inner.message;
  return oneLine(text, QUOTED).replace(/\.$/, '');
}

function originOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).origin : 'of OIDC_ISSUER';
}
