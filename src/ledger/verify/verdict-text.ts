import type { Hex } from '../../chain/port.js';
import { oneLine } from '../../untrusted/text.js';
import type { Verdict } from './verify.js';

/** What a verdict was given on. */
export interface Examined {
  readonly transactionHash: Hex;
  /** The contract whose events counted. */
  readonly contract: Hex;
  /** The contract is the one that the transaction itself calls: nobody said which it must be. */
  readonly contractTaken: boolean;
}

/** A verdict for people: one line that says it, and below it what was found, each with its name. */
export function verdictText(
  verdict: Verdict,
  { transactionHash, contract, contractTaken }: Examined,
): string {
  const { verified, reason, operation, entityId, assetId, hash, from, blockNumber, blockHash, recordedAt } =
    verdict;
  const taken = contractTaken ? ' (the one that the transaction calls; --contract insists on one)' : '';
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['operation', operation],
    ['entity', entityId === undefined ? undefined : oneLine(entityId, 200)],
    ['transaction', transactionHash],
    ['signed by', from],
    ['contract', `${contract}${taken}`],
    ['block', blockNumber === null ? undefined : `${blockNumber}, ${blockHash}`],
    ['recorded at', recordedAt ?? undefined],
    ['asset id', assetId],
    ['hash', hash],
  ];
  const said = verified
    ? 'VERIFIED: the transaction has recorded this content'
    : `NOT VERIFIED: ${oneLine(reason ?? '', 1_000)}`;
  const lines = facts.flatMap(([name, text]) =>
    text === undefined ? [] : [`  ${name.padEnd(11)}  ${text}`],
  );
  return `${[said, ...lines].join('\n')}\n`;
}
