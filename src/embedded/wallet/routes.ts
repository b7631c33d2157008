import type { EmbeddedWallet } from './wallet.js';
import { Refusal } from '../../errors.js';
import { guessLimit } from '../../identity/guess-limit.js';
import type { Area } from '../../http/areas.js';
import type { ReadJson } from '../../http/body/body.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { READ, type Route, route } from '../../http/router.js';
import { queryOf } from '../../http/query-of.js';
import { equalSecrets } from '../../system/equal-secrets.js';

const ACCOUNTS = '/vault/v1/ethereum/accounts';
/** As Vault has names. */
const NAME = /^\w(?:[\w.-]{0,253}\w)?$/;

/** The embedded wallet's part of the path space: errors as Vault writes them, names of accounts as they are. */
export const vaultArea: Area = {
  prefix: '/vault',
  errors: {
    render: ({ message }) => ({
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
      body: JSON.stringify({ errors: [message] }),
    }),
  },
  literalPaths: true,
};

/**
 * The embedded wallet with the paths and answers of Vault's engine vault-ethereum, below `/vault/v1/ethereum/accounts`:
 * accounts are made (POST, PUT), read (GET), listed (GET with `?list=true`) and have transactions signed (POST, PUT
 * `{name}/sign-tx`) by whoever shows `token` in X-Vault-Token. Vault's method LIST is none that node takes.
 */
export function vaultRoutes(wallet: EmbeddedWallet, token: string, body: ReadJson): readonly Route[] {
  const guarded = holding(token);

  const list = route(READ, ACCOUNTS, guarded, async (ctx) => {
    if (queryOf(ctx)['list'] !== 'true') throw new Refusal('bad-request', 'GET needs ?list=true here');
    const keys = await wallet.list();
    if (keys.length > 0) return answer(ctx, { keys });
    // Vault has no empty lists.
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

function holding(token: string): EdgeMiddleware {
  const attempts = guessLimit();
  const check = (shown: string): void => {
    if (equalSecrets(shown, token)) return;
    throw new Refusal(
      'forbidden',
      'permission denied: X-Vault-Token must hold the token of the embedded wallet, which the log of its start shows, or which WALLET_DEV_TOKEN sets',
    );
  };
  return (ctx, next) => {
    attempts.limited([ctx.state.place.client.key], () => check(ctx.get('x-vault-token')));
    return next();
  };
}

function nameIn(ctx: EdgeContext): string {
  const name = ctx.params['name'] ?? '';
  if (NAME.test(name)) return name;
  throw new Refusal('not-found', 'no account can have this name: letters, digits, _ and, inside, . and -');
}

/** As Vault reads it: no body is an empty one, and the Content-Type, which curl gives a form's, does not count. */
async function bodyOf(ctx: EdgeContext, read: ReadJson): Promise<unknown> {
  const { headers } = ctx.req;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return {};
  headers['content-type'] = 'application/json';
  return read(ctx);
}

function answer(ctx: EdgeContext, data: object): void {
  ctx.set('Cache-Control', 'no-store');
  ctx.body = {
    request_id: ctx.state.requestId,
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
