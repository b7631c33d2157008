import { Refusal } from '../errors.js';
import type { Identity } from '../identity/port.js';
import type { PasswordLogin } from '../identity/select.js';
import type { TokenHolder } from './sessions.js';
import type { OperatorAccess } from '../operator/guard.js';
import { isObject } from '../untrusted/json.js';

/** Logs a user of the console in. */
export type LogIn = ReturnType<typeof createLogIn>;

const FORMS =
  'the body must have exactly the members of one of these: {"operatorToken"}, ' +
  '{"tenantName", "username", "password"}, {"token"}';

/** Creates the login. `login` is undefined if the identity service takes no passwords from this service. */
export function createLogIn(options: {
  readonly operatorToken: string | undefined;
  readonly operators: Pick<OperatorAccess, 'check'>;
  readonly identity: Identity & { readonly login: PasswordLogin | undefined };
}) {
  const { operatorToken, operators, identity } = options;

  const operator = (shown: string, client: string): TokenHolder => {
    if (operatorToken === undefined) {
      throw new Refusal(
        'bad-request',
        'operatorToken: this service has no OPERATOR_TOKEN; operators use the console on its machine without a login',
      );
    }
    operators.check(shown, client);
    return { kind: 'operator' };
  };

  const password = async (form: PasswordForm, client: string): Promise<TokenHolder> => {
    if (identity.login === undefined) {
      throw new Refusal(
        'bad-request',
        'password: the identity service takes no passwords from this service; get a token there and send {"token"}',
      );
    }
    const { tenantName: tenant, username: user } = form;
    const token = await identity.login({ tenant, user, password: form.password }, client);
    return tenantWith(token, 'the identity service issued a token without a tenant');
  };

  const tenantWith = async (token: string, why: string): Promise<TokenHolder> => {
    if ((await identity.verify(token)) !== undefined) return { kind: 'tenant', token };
    throw new Refusal('unauthorized', why);
  };

  return {
    /**
     * Returns the holder of a new session. `body` is parsed JSON, `client` the address of the user. Throws `Refusal`:
     * `bad-request` that names the members; `unauthorized`; `too-many-requests` after too many wrong guesses from one
     * client; and the errors of the identity service.
     */
    async holderOf(body: unknown, client: string): Promise<TokenHolder> {
      const form = textsOf(body);
      const names = Object.keys(form).toSorted().join();
      if (names === 'operatorToken') return operator(form['operatorToken']!, client);
      if (names === 'password,tenantName,username') return password(form as unknown as PasswordForm, client);
      if (names !== 'token') throw new Refusal('bad-request', FORMS);
      const unknown =
        'token is no valid token of the identity service (unknown, expired, revoked or without a tenant); get a new one';
      return tenantWith(form['token']!, unknown);
    },
  };
}

interface PasswordForm {
  readonly tenantName: string;
  readonly username: string;
  readonly password: string;
}

/** Returns the members of a body. Throws `Refusal('bad-request')` if one is not a text, or empty. */
function textsOf(body: unknown): Readonly<Record<string, string>> {
  if (!isObject(body)) throw new Refusal('bad-request', FORMS);
  const wrong = Object.entries(body).find(([, value]) => typeof value !== 'string' || value === '');
  if (wrong === undefined) return body as Record<string, string>;
  throw new Refusal('bad-request', `${FORMS}; each must be a text that is not empty`);
}
