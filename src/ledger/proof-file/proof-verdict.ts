import type { Hex } from './bytes.js';
import type { ContentKind } from './proof-form.js';

/** The steps of a verification, in their order. */
export type ProofStepName =
  | 'file'
  | 'content'
  | 'asset'
  | 'event'
  | 'receipt'
  | 'header'
  | 'transaction'
  | 'signature'
  | 'expected';

/** A step that was taken. */
export interface ProofStep {
  readonly name: ProofStepName;
  readonly ok: boolean;
  /** One sentence: what was found. */
  readonly text: string;
}

/** What the reader of a file knows from elsewhere. Each is compared. */
export interface ProofExpectations {
  readonly blockHash?: Hex | undefined;
  readonly contract?: Hex | undefined;
  /** The account that must have signed the transaction. */
  readonly from?: Hex | undefined;
}

/** The names of what can be expected, for people. */
export const EXPECTED = [
  ['blockHash', 'block hash'],
  ['contract', 'contract'],
  ['from', 'signer'],
] as const satisfies readonly (readonly [keyof ProofExpectations, string])[];

/** What a verified file proves. */
export interface ProvenRecord {
  readonly chainId: number;
  readonly entityId: string;
  readonly contentHash: Hex;
  /** The account that signed the transaction. */
  readonly from: Hex;
  readonly contract: Hex;
  readonly transactionHash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  /** The time in the header, ISO 8601, UTC. */
  readonly recordedAt: string;
}

/** The result of a verification. */
export type ProofVerdict =
  | {
      readonly verified: true;
      /** All of them. */
      readonly steps: readonly ProofStep[];
      readonly proven: ProvenRecord;
      /** What only the file says: nothing on the chain has the name of an operation, nor what content it records. */
      readonly unproven: { readonly operation: string; readonly content: ContentKind };
      /** What was not given, and is left to trust: to be compared with a source that the reader trusts. */
      readonly trusted: readonly (keyof ProofExpectations)[];
    }
  | {
      readonly verified: false;
      /** Those that were taken; the last one has failed. */
      readonly steps: readonly ProofStep[];
    };
