import type { SigningAccount, SigningRequest } from '../../../src/ledger/account/signing-account.js';
import type { SigningResult } from '../../../src/wallets/port.js';
import { NOON, OPERATION } from '../driven-ledger.js';
import { anyWallet } from '../scene.js';

const WALLET = anyWallet();

/** A request whose signatures are answered by hand, so that they come in any order. */
export class ManualRequest implements SigningRequest {
  readonly wallet = WALLET;
  readonly data = '0x';
  readonly operation = OPERATION;
  readonly claim = undefined;
  readonly since = undefined;
  readonly asked: { nonce: number; settle: (outcome: 'signed' | Error) => void }[] = [];

  constructor(
    readonly name: string,
    readonly deadline = NOON + 30_000,
  ) {}

  sign(nonce: number): Promise<SigningResult> {
    return new Promise((resolve, reject) => {
      this.asked.push({
        nonce,
        settle: (outcome) =>
          outcome === 'signed' ? resolve(transactionOf(this.name, nonce)) : reject(outcome),
      });
    });
  }

  get last() {
    return this.asked.at(-1)!;
  }
}

function transactionOf(name: string, nonce: number): SigningResult {
  return { raw: `0x${nonce}`, hash: `0x${name}${nonce}` };
}

/** Has a `ManualRequest` signed. */
export const signByHand: SigningAccount['sign'] = (request, nonce) => (request as ManualRequest).sign(nonce);

/** The name of a `ManualRequest`. */
export const nameOf = (request: SigningRequest): string => (request as ManualRequest).name;

/** Resolves once everything has run that waits for nothing outside. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
