import { Refusal } from '../errors.js';
import { fieldOf } from '../untrusted/json.js';
import { redirects, secondsOf } from './refusals.js';
import type { VaultEngine } from './vault-engine.js';

/** An answer of a Vault, of any status. */
export interface VaultAnswer {
  readonly status: number;
  /** The header Retry-After. */
  readonly retryAfter: string | undefined;
  /** Parsed; undefined if it is no JSON. */
  readonly body: unknown;
}

/** The request that an answer belongs to. */
export interface Asked {
  readonly engine: VaultEngine;
  readonly step: 'read' | 'sign';
  /** Gas price of the transaction, wei; undefined when reading. */
  readonly gasPrice: bigint | undefined;
}

/** Errors of Vault if the process of the engine has ended; `internal error` is the one to signing. */
const CRASHES = /rpc error: code = (?:Unavailable|Canceled)|plugin is shut down|\* internal error\s*$/;

const NOTHING_THERE =
  'Vault has nothing at Wallet-Address: its mount or its path is wrong, or no account of that name was made yet, which is done by a POST there';

/** True if the process of the engine ended over this or another request. Vault starts it again. */
export function isCrash({ status, body }: VaultAnswer): boolean {
  return status === 500 && CRASHES.test(errorsIn(body));
}

/**
 * The refusal for an answer; undefined for an answer of status 200. Texts of Vault are recognised and never passed on: they
 * may contain the address of its node and keys. `now` is in ms since the epoch.
 */
export function refusalOf(answer: VaultAnswer, asked: Asked, now: number): Refusal | undefined {
  const { status } = answer;
  if (status === 200) return undefined;
  if (status === 403) return new Refusal('forbidden', forbidden(asked));
  if (status === 404) return notFound(NOTHING_THERE);
  if (status === 429) {
    return new Refusal('unavailable', 'Vault takes no more requests for now; nothing was done', {
      retryAfterS: secondsOf(answer.retryAfter, now),
    });
  }
  if (status === 503)
    return new Refusal('unavailable', 'Vault is sealed or does not serve; nothing was done');
  if (status >= 300 && status < 400) return redirects(status);
  return status === 500 ? engineRefusal(errorsIn(answer.body), asked) : unexpected(status);
}

/** The refusal for an account that is missing. */
export function missingAccount(): Refusal {
  return notFound('Vault has no account of the name in Wallet-Address');
}

/** The refusal for an engine that keeps ending. `listed`: true if the account is in its list of accounts. */
export function crashedRefusal(listed: boolean): Refusal {
  return listed
    ? new Refusal('unavailable', 'the engine in Vault ends and starts again and again; nothing was done')
    : new Refusal(
        'bad-gateway',
        'the engine in Vault ended over this request: most likely there is no account of the name in Wallet-Address; ' +
          'a Wallet-Token that may list the accounts would tell',
      );
}

/** The messages in an error of Vault. */
function errorsIn(body: unknown): string {
  const errors = fieldOf(body, 'errors');
  return Array.isArray(errors) ? errors.filter((error) => typeof error === 'string').join('\n') : '';
}

function engineRefusal(said: string, { engine, gasPrice }: Asked): Refusal {
  if (/account (?:0x[0-9a-f]+ )?does not exist/i.test(said)) return missingAccount();
  if (/inclusions|excluded/.test(said)) {
    return new Refusal(
      'bad-gateway',
      'the account’s or the mount’s inclusions and exclusions in Vault do not let it send to the ledger’s contract',
    );
  }
  if (/\bdial\b|connection re(?:fused|set)|no such host|^\s*\* Post .*: EOF$/m.test(said)) {
    const why = gasPrice === 0n ? `, which ${engine.name} asks for a price where the gas price is 0` : '';
    return new Refusal('bad-gateway', `the engine in Vault does not reach its own node (rpc_url)${why}`);
  }
  return unexpected(500);
}

function forbidden({ engine, step }: Asked): string {
  const refused = step === 'read' ? 'it is not valid there or may not read' : 'it may not sign with';
  return (
    `Vault refuses Wallet-Token: ${refused} the account; the token needs the capabilities read on the account, and ` +
    `create and update on the account’s ${engine.signPath}`
  );
}

function notFound(message: string): Refusal {
  return new Refusal('not-found', message);
}

function unexpected(status: number): Refusal {
  return new Refusal(
    'bad-gateway',
    `the wallet answered ${status}, which no Vault that works does; its log tells why`,
  );
}
