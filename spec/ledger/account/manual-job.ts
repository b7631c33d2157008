import type { Job } from '../../../src/ledger/account/nonce-queue.js';
import type { SigningResult } from '../../../src/wallets/port.js';
import { NOON } from '../driven-ledger.js';

/** A job whose signatures are answered by hand, so that they come in any order. */
export class ManualJob implements Job {
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

/** Resolves once everything has run that waits for nothing outside. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
