import { Refusal } from '../../errors.js';
import type { EdgeContext, EdgeMiddleware } from '../../http/context.js';
import { acceptJsonOrLd } from '../../http/media-types.js';
import { onlyOf } from '../../http/query.js';
import { READ, type Route, route } from '../../http/router.js';
import { notificationDigest, notifyKey } from '../content/notification.js';
import type { Common } from '../content/operations.js';
import type { Operation } from '../operation.js';
import { answer, bodyOf } from './answer.js';
import { callerChecks, namedWallet, tenantOf, walletMissing } from './headers.js';
import { NOTIFY, OPERATION } from './paths.js';
import { commonOf, recordingHandlers } from './recording-handlers.js';
import type { LedgerRoutesOptions } from './routes.js';

/** Characters of an entry of a batch in a receipt without its proof, and of each hash of the proof, roughly. */
const ENTRY_CHARACTERS = 200;
const HASH_CHARACTERS = 69;

/**
 * Returns the routes that record the notifications of brokers. With the headers of a wallet, POST `/ledger/notify` answers as L5.
 * Without them, the default account records the notification after the answer, and GET `/ledger/operations/{id}` says what became
 * of it.
 */
export function notifyRoutes(options: LedgerRoutesOptions): readonly Route[] {
  const { ledger, wallets, operations, bodies, authenticated } = options;
  const checks = [acceptJsonOrLd, ...callerChecks(authenticated)];

  const read = async (ctx: EdgeContext, common: Common): Promise<Operation> =>
    operations.of({ name: 'notify', bytes: await bodies.batch(ctx), common, client: ctx.state.client });

  const record = recordingHandlers(options)(async (ctx, common) => {
    const operation = await read(ctx, common);
    return { operation, key: notifyKey(notificationDigest(operation)) };
  });

  const accept: EdgeMiddleware = async (ctx) => {
    const wallet = wallets.defaultWallet;
    if (wallet === undefined) throw walletMissing();
    const operation = await read(ctx, commonOf(ctx));
    const id = await ledger.accept(operation, { wallet, trace: ctx.state.trace });
    answer(ctx, JSON.stringify({ operation: id }));
    ctx.status = 202;
    ctx.set('Location', `/ledger/operations/${id}`);
  };

  const notify: EdgeMiddleware = (ctx, next) =>
    (namedWallet(ctx.req.headersDistinct) === undefined ? accept : record)(ctx, next);

  const state: EdgeMiddleware = async (ctx) => {
    onlyOf(ctx, []);
    const found = await ledger.operation(ctx.params['operationId']!, tenantOf(ctx).tenant);
    if (found === undefined) {
      throw new Refusal(
        'not-found',
        'there is no such operation, it is of another tenant, or it ended longer than IDEMPOTENCY_TTL_S ago',
      );
    }
    if (found.is === 'recorded') {
      const { entities, receipt } = found;
      ctx.state.permit.reserveAnswer(
        entities * (ENTRY_CHARACTERS + HASH_CHARACTERS * Math.ceil(Math.log2(entities))),
      );
      return answer(ctx, bodyOf(receipt));
    }
    const { is, ...why } = found;
    answer(ctx, JSON.stringify({ state: is, ...why }));
    if (is === 'pending') ctx.status = 202;
  };

  return [route(['POST'], NOTIFY, ...checks, notify), route(READ, OPERATION, ...checks, state)];
}
