import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Queue } from '../../actors/stage/queue.js';
import { askedIn } from '../../e2e/ledger/faults/fickle-vault.js';
import { type Signer, walletHeaders } from '../../e2e/ledger/scene.js';
import { answerJson, type Received, standIn, type StandIn } from '../../identity/stand-in.js';
import { addressOf, signTransaction } from '../../../src/wallets/transaction-bytes.js';

/** A request to sign a transaction, held until the spec decides. */
export interface Held {
  readonly sign: () => void;
  readonly refuse: () => void;
}

/** A wallet with vault-ethereum's paths and one account. It holds requests until the spec decides. */
export interface HeldVault extends StandIn, Signer {
  /** Resolves with the next held request. */
  asked(): Promise<Held>;
  /** Switches between holding requests, as initially, and signing at once. */
  hold(on: boolean): void;
}

/** Starts the wallet for a chain with id 1337. */
export async function startHeldVault(): Promise<HeldVault> {
  const key = randomBytes(32);
  const address = addressOf(key);
  const held = new Queue<Held>();
  let holding = true;
  const hold = (request: Received, response: ServerResponse): void => {
    const sign = (): void => {
      const { raw } = signTransaction(askedIn(request, address), key);
      answerJson(response, 200, { data: { signed_transaction: raw } });
    };
    if (!holding) return sign();
    held.push({
      sign,
      refuse: () => answerJson(response, 403, { errors: ['permission denied'] }),
    });
  };
  const server = await standIn((request, response) => {
    if (request.path.endsWith('/sign-tx')) hold(request, response);
    else answerJson(response, 200, { data: { address } });
  });
  return {
    ...server,
    address,
    headers: walletHeaders(`${server.url}/v1/ethereum/accounts/held`, 'any-token'),
    asked: () => held.next(),
    hold: (on) => void (holding = on),
  };
}
