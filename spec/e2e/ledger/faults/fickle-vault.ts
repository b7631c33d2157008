import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { addressOf, signTransaction } from '../../../../src/wallets/transaction-bytes.js';
import type { UnsignedTransaction } from '../../../../src/wallets/port.js';
import { answerJson, type Received, standIn, type StandIn } from '../../../identity/stand-in.js';
import { type Signer, walletHeaders } from '../scene.js';

/** The behaviour of a wallet that must sign. */
export type Habit =
  | { readonly is: 'honest' }
  /** Signs another transaction than it was asked to, or with another key. */
  | { readonly is: 'lying'; readonly changes: Partial<UnsignedTransaction>; readonly otherKey?: boolean }
  | { readonly is: 'answering'; readonly status: number; readonly body: unknown }
  /** Closes the connection without a word. */
  | { readonly is: 'closing' };

/** A wallet with vault-ethereum's paths that does as it is told, with one account. */
export interface FickleVault extends StandIn, Signer {
  become(habit: Habit): void;
}

/** Starts one that is honest, for a chain with id 1337. */
export async function startFickleVault(): Promise<FickleVault> {
  const key = randomBytes(32);
  const address = addressOf(key);
  let habit: Habit = { is: 'honest' };
  const sign = (request: Received, response: ServerResponse): void => {
    if (habit.is === 'closing') return void response.destroy();
    if (habit.is === 'answering') return answerJson(response, habit.status, habit.body);
    const [changes, signer] =
      habit.is === 'lying' ? [habit.changes, habit.otherKey ? randomBytes(32) : key] : [{}, key];
    const { raw } = signTransaction({ ...askedIn(request, address), ...changes }, signer);
    return answerJson(response, 200, { data: { signed_transaction: raw } });
  };
  const server = await standIn((request, response) => {
    if (request.path.endsWith('/sign-tx')) sign(request, response);
    else answerJson(response, 200, { data: { address } });
  });
  const url = `${server.url}/v1/ethereum/accounts/fickle`;
  return {
    ...server,
    address,
    headers: walletHeaders(url, 'any-token'),
    become: (next) => void (habit = next),
  };
}

/** What a wallet with vault-ethereum’s paths is asked to sign, for a chain with id 1337. */
export function askedIn({ body }: Received, from: UnsignedTransaction['from']): UnsignedTransaction {
  const { to, data, nonce, gas_limit, gas_price } = JSON.parse(body) as Record<string, string>;
  return {
    from,
    to: to as UnsignedTransaction['to'],
    data: `0x${data}`,
    nonce: Number(nonce),
    gasLimit: BigInt(gas_limit!),
    gasPrice: BigInt(gas_price!),
    chainId: 1337,
  };
}
