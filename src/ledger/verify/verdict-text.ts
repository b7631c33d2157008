import type { Hex } from '../../chain/port.js';
import { oneLine } from '../../untrusted/text.js';
import type { Verdict } from '../shapes.js';

/** The subject of a verdict. */
export interface Examined {
  readonly transactionHash: Hex;
  /** The contract whose events counted. */
  readonly contract: Hex;
  /** True if the contract is the one that the transaction calls, and not one that the caller named. */
  readonly contractFromTransaction: boolean;
}

/** Entities that are not verified of which a verdict has a line. */
const ENTRIES_SHOWN = 100;

/** Returns a verdict as text for people: one line with the result, then one line for each fact. */
export function verdictText(
  verdict: Verdict,
  { transactionHash, contract, contractFromTransaction }: Examined,
): string {
  const { verified, reason, operation, entityId, contentHash, assetId, hash, from } = verdict;
  const { blockNumber, blockHash, recordedAt, entries } = verdict;
  const origin = contractFromTransaction
    ? ' (the one that the transaction calls; --contract insists on one)'
    : '';
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['operation', operation],
    ['entity', entityId === undefined ? undefined : oneLine(entityId, 200)],
    ['transaction', transactionHash],
    ['signed by', from],
    ['contract', `${contract}${origin}`],
    ['block', blockNumber === null ? undefined : `${blockNumber}, ${blockHash}`],
    ['recorded at', recordedAt ?? undefined],
    ['asset id', assetId],
    ['hash', hash],
    ['of content', contentHash === hash ? undefined : contentHash],
  ];
  const headline = verified
    ? 'VERIFIED: the transaction has recorded this content'
    : `NOT VERIFIED: ${oneLine(reason ?? '', 1_000)}`;
  const lines = facts.flatMap(([name, text]) =>
    text === undefined ? [] : [`  ${name.padEnd(11)}  ${text}`],
  );
  const wrong = (entries ?? []).flatMap((entry, index) => (entry.verified ? [] : [{ ...entry, index }]));
  const others = wrong
    .slice(0, ENTRIES_SHOWN)
    .map(
      ({ index, entityId: id, contentHash: own }) =>
        `  not verified: entity ${index}, ${oneLine(id, 200)}, hash ${own}`,
    );
  if (wrong.length > ENTRIES_SHOWN) others.push(`  … and ${wrong.length - ENTRIES_SHOWN} more`);
  return `${[headline, ...lines, ...others].join('\n')}\n`;
}
