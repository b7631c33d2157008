import type { EmbeddedWallet } from './wallet.js';
import { Refusal } from '../../errors.js';
import { guessLimit } from '../../identity/guess-limit.js';
import type { RouteGroup } from '../../http/route-groups.js';
import type { ReadJson } from '../../http/body/body.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { READ, type Route, route } from '../../http/router.js';
import { queryOf } from '../../http/request-head.js';
import { equalSecrets } from '../../system/equal-secrets.js';

const ACCOUNTS = '/vault/v1/ethereum/accounts';
/** The pattern of names of accounts in Vault. */
export const ACCOUNT_NAME_PATTERN = '^\\w(?:[\\w.-]{0,253}\\w)?$';
const NAME = new RegExp(ACCOUNT_NAME_PATTERN);

/** The route group of the embedded wallet: errors in Vault's format, account names as written. */
export const vaultGroup: RouteGroup = {
  prefix: '/vault',
  errors: ({ message }) => ({
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ errors: [message] }),
  }),
  literalPaths: true,
};

/**
 * Routes of the embedded wallet, with the paths and answers of Vault's engine vault-ethereum below
 * `/vault/v1/ethereum/accounts`: create an account (POST, PUT), read it (GET), list accounts (GET with `?list=true`), sign
 * a transaction (POST, PUT `{name}/sign-tx`). Requires `token` in X-Vault-Token. Node does not support Vault's method
 * LIST.
 */
export function vaultRoutes(wallet: EmbeddedWallet, token: string, body: ReadJson): readonly Route[] {
  const guarded = tokenGuard(token);

  const list = route(READ, ACCOUNTS, guarded, async (ctx) => {
    if (queryOf(ctx)['list'] !== 'true') throw new Refusal('bad-request', 'GET needs ?list=true here');
    const keys = await wallet.list();
    if (keys.length > 0) return answer(ctx, { keys });
    // Vault answers an empty list with 404.
    ctx.status = 404;
    ctx.body = { errors: [] };
  });
  const read = route(READ, `${ACCOUNTS}/:name`, guarded, async (ctx) =>
    answer(ctx, await wallet.read(nameIn(ctx))),
  );
  const create = route(['POST', 'PUT'], `${ACCOUNTS}/:name`, guarded, async (ctx) =>
    answer(ctx, await wallet.create(nameIn(ctx), await bodyOf(ctx, body))),
  );
  const sign = route(['POST', 'PUT'], `${ACCOUNTS}/:name/sign-tx`, guarded, async (ctx) =>
    answer(ctx, await wallet.sign(nameIn(ctx), await bodyOf(ctx, body))),
  );
  return [list, read, create, sign];
}

function tokenGuard(token: string): EdgeMiddleware {
  const attempts = guessLimit();
  const check = (shown: string): void => {
    if (equalSecrets(shown, token)) return;
    throw new Refusal(
      'forbidden',
      'permission denied: X-Vault-Token must hold the token of the embedded wallet, which the log of its start shows, or which WALLET_DEV_TOKEN sets',
    );
  };
  return (ctx, next) => {
    attempts.limited([ctx.state.client], () => check(ctx.get('x-vault-token')));
    return next();
  };
}

function nameIn(ctx: EdgeContext): string {
  const name = ctx.params['name'] ?? '';
  if (NAME.test(name)) return name;
  throw new Refusal('not-found', 'no account can have this name: letters, digits, _ and, inside, . and -');
}

/** Reads a body as Vault does: a missing body is `{}`, and the Content-Type is ignored, since curl sends a form's. */
async function bodyOf(ctx: EdgeContext, read: ReadJson): Promise<unknown> {
  const { headers } = ctx.req;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return {};
  headers['content-type'] = 'application/json';
  return read(ctx);
}

function answer(ctx: EdgeContext, data: object): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.body = vaultAnswer(ctx.state.requestId, data);
}

/** Returns the answer of Vault with this `data`. */
export function vaultAnswer(requestId: string, data: object): object {
  return {
    request_id: requestId,
    lease_id: '',
    renewable: false,
    lease_duration: 0,
    data,
    wrap_info: null,
    warnings: null,
    auth: null,
    mount_type: 'vault-ethereum',
  };
}
