import fc from 'fast-check';
import { eth } from 'web3';
import type {
  DynamicFeeTransaction,
  LegacyTransaction,
  UnsignedTransaction,
} from '../../src/wallets/port.js';

type Hex = UnsignedTransaction['to'];

const { Common, TransactionFactory } = eth.accounts;

export const CHAIN_ID = 31_337;

/** A legacy transaction as the ledger has it signed, with these fields changed. */
export function transactionOf(from: Hex, changes: Partial<LegacyTransaction> = {}): LegacyTransaction {
  return {
    from,
    to: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
    data: `0x6be3f1b3${'ab'.repeat(64)}`,
    nonce: 7,
    gasPrice: 2_000_000_000n,
    gasLimit: 60_000n,
    chainId: CHAIN_ID,
    ...changes,
  };
}

/** A transaction of EIP-1559 as the ledger has it signed, with these fields changed. */
export function dynamicOf(from: Hex, changes: Partial<DynamicFeeTransaction> = {}): DynamicFeeTransaction {
  const { gasPrice, ...call } = transactionOf(from);
  return { ...call, maxFeePerGas: gasPrice, maxPriorityFeePerGas: 1_000_000n, ...changes };
}

const hex = (bytes: { readonly minLength: number; readonly maxLength: number }): fc.Arbitrary<Hex> =>
  fc.uint8Array(bytes).map((array) => `0x${Buffer.from(array).toString('hex')}` as const);

/** The highest price that web3 accepts: price times gas limit must fit into 256 bits. */
export const HIGHEST_GAS_PRICE = (1n << 192n) - 1n;

/** Any legacy transaction that a wallet signs. */
export const anyTransaction = (
  from: Hex,
  fixed: Partial<LegacyTransaction> = {},
): fc.Arbitrary<LegacyTransaction> =>
  fc
    .record({
      to: hex({ minLength: 20, maxLength: 20 }),
      data: hex({ minLength: 0, maxLength: 300 }),
      nonce: fc.maxSafeNat(),
      gasPrice: fc.bigInt(0n, HIGHEST_GAS_PRICE),
      gasLimit: fc.bigInt(0n, (1n << 64n) - 1n),
      chainId: fc.integer({ min: 1, max: 2 ** 48 }),
    })
    .map((fields) => ({ from, ...fields, ...fixed }));

/** Any transaction of EIP-1559. */
export const anyDynamic = (from: Hex): fc.Arbitrary<DynamicFeeTransaction> =>
  fc.tuple(anyTransaction(from), fc.bigInt(0n, HIGHEST_GAS_PRICE)).map(([{ gasPrice, ...call }, other]) => {
    const isHigher = other > gasPrice;
    return {
      ...call,
      maxFeePerGas: isHigher ? other : gasPrice,
      maxPriorityFeePerGas: isHigher ? gasPrice : other,
    };
  });

/** A private key, any that the curve has. */
export const anyKey: fc.Arbitrary<Hex> = hex({ minLength: 32, maxLength: 32 }).filter(
  (key) => BigInt(key) > 0n && BigInt(key) < 1n << 255n,
);

/** Returns the members of a signed transaction as web3 reads them. */
export function web3Decoded(raw: Hex): Record<string, unknown> {
  const transaction = TransactionFactory.fromSerializedData(Buffer.from(raw.slice(2), 'hex'));
  const { nonce, gasLimit, to, data, value } = transaction;
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = transaction as unknown as Record<string, bigint>;
  return {
    from: transaction.getSenderAddress().toString().toLowerCase(),
    to: to?.toString().toLowerCase(),
    data: `0x${Buffer.from(data).toString('hex')}`,
    nonce: Number(nonce),
    ...(transaction.type === 0 ? { gasPrice } : { maxFeePerGas, maxPriorityFeePerGas }),
    gasLimit,
    value,
    chainId: Number(transaction.common.chainId()),
    hash: `0x${Buffer.from(transaction.hash()).toString('hex')}`,
    verifies: transaction.verifySignature(),
  };
}

/** The transaction as web3 signs it, with a value if wanted. */
export function web3Signed(transaction: UnsignedTransaction, key: Hex, value = 0n): Hex {
  const { from: _, chainId, nonce, ...fields } = transaction;
  const signed = TransactionFactory.fromTxData(
    { ...fields, nonce: BigInt(nonce), value, type: 'gasPrice' in transaction ? 0 : 2 },
    { common: Common.custom({ chainId }) },
  ).sign(Buffer.from(key.slice(2), 'hex'));
  return `0x${Buffer.from(signed.serialize()).toString('hex')}`;
}
