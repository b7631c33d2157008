import type { Hex } from '../../chain/port.js';
import { Refusal } from '../../errors.js';
import type { EdgeMiddleware } from '../../http/context.js';
import { READ, type Route, route } from '../../http/router.js';
import { quoted } from '../../untrusted/text.js';
import { A_URI, isUri } from '../content/uri.js';
import type { ProofFile } from '../shapes.js';
import type { ProofRequest } from '../proofs/proof-reader.js';
import { callerChecks, tenantOf } from './headers.js';
import { answer } from './answer.js';
import { onlyValue, queryOf } from './query.js';

/** The media type of proof files. */
const PROOF_TYPE = 'application/vnd.mirzam.proof+json';
const HASH = /^0x[\da-f]{64}$/i;

export interface ProofRoutesOptions {
  readonly proof: (request: ProofRequest) => Promise<ProofFile>;
  /** Checks the token of a request (LEDGER_AUTH=token); undefined without that check. */
  readonly authenticated: EdgeMiddleware | undefined;
}

/**
 * Returns the route GET `/ledger/proofs/{transactionHash}`: the proof file of an entity of an operation (docs/ledger-api.md,
 * "Proof files").
 */
export function proofRoutes({ proof, authenticated }: ProofRoutesOptions): readonly Route[] {
  const get: EdgeMiddleware = async (ctx) => {
    const { entityId, hash } = provenEntity(ctx.querystring);
    const transactionHash = hashOf('transactionHash', ctx.params['transactionHash'] ?? '');
    const { tenant } = tenantOf(ctx);
    ctx.state.permit.waitForChain();
    const file = await proof({ transactionHash, entityId, hash, tenant, client: ctx.state.client });
    ctx.type = PROOF_TYPE;
    answer(ctx, JSON.stringify(file));
  };
  return [route(READ, '/ledger/proofs/:transactionHash', acceptProof, ...callerChecks(authenticated), get)];
}

const acceptProof: EdgeMiddleware = (ctx, next) => {
  if (ctx.accepts(PROOF_TYPE, 'application/json') !== false) return next();
  throw new Refusal(
    'not-acceptable',
    `Accept must allow ${PROOF_TYPE} or application/json, not only ${quoted(ctx.get('accept'))}`,
  );
};

/** Returns the entity that a proof is asked for. Throws `Refusal('bad-request')` that names the parameter. */
export function provenEntity(text: string): Pick<ProofRequest, 'entityId' | 'hash'> {
  const query = queryOf(text);
  for (const name of query.keys()) {
    if (name !== 'entity' && name !== 'hash') {
      throw new Refusal('bad-request', `there is no parameter ${quoted(name)} here; allowed: entity, hash`);
    }
  }
  const entityId = onlyValue('entity', query.get('entity'));
  if (!isUri(entityId)) {
    const not = entityId === undefined ? '' : `, not ${quoted(entityId)}`;
    throw new Refusal('bad-request', `entity: must be the id of the proven entity, which ${A_URI}${not}`);
  }
  const hash = onlyValue('hash', query.get('hash'));
  return { entityId, hash: hash === undefined ? undefined : hashOf('hash', hash) };
}

function hashOf(name: string, text: string): Hex {
  if (HASH.test(text)) return text.toLowerCase() as Hex;
  throw new Refusal('bad-request', `${name}: must be 0x and 64 hexadecimal digits, not ${quoted(text)}`);
}
