import { createHash } from 'node:crypto';
import { RLP } from '@ethereumjs/rlp';
import { keccak_256 } from '@noble/hashes/sha3.js';
import secp256k1 from 'secp256k1';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { type Anvil, FUNDED } from '../../servers/chain.js';

type Field = Parameters<typeof RLP.encode>[0];

/** The key of anvil's second account, which has funds too. */
export const FUNDED_TOO = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

const TO = `0x${'77'.repeat(20)}` as const;
const WORD = `0x${'11'.repeat(32)}` as const;
/** The blob of zeros: its commitment and its proof are the point at infinity. */
const INFINITY = `0xc0${'00'.repeat(47)}` as const;
const BLOB = `0x${'00'.repeat(131_072)}` as const;
const VERSIONED = Buffer.from(createHash('sha256').update(INFINITY.slice(2), 'hex').digest());
VERSIONED[0] = 1;

const [CHAIN, TIP, FEE, GAS] = [1337n, 1_000_000_000n, 100_000_000_000n, 100_000n];
/** What EIP-1559 and later types begin with. */
const begin = (nonce: number): Field[] => [CHAIN, BigInt(nonce), TIP, FEE, GAS, TO, 1n, '0x'];
const ACCESS: Field = [[TO, [WORD, WORD]]];

/** Signed transactions by the type: those of a key with a nonce. */
const SIGNED: readonly ((nonce: number, key: string) => Buffer)[] = [
  (nonce, key) => {
    const fields: Field[] = [BigInt(nonce), FEE, GAS, TO, 1n, '0x1234'];
    const [parity, r, s] = signatureOf(RLP.encode([...fields, CHAIN, 0n, 0n]), key);
    return Buffer.from(RLP.encode([...fields, 35n + 2n * CHAIN + parity, r, s]));
  },
  (nonce, key) => signedAs(1, [CHAIN, BigInt(nonce), FEE, GAS, TO, 1n, '0x', ACCESS], key),
  (nonce, key) => signedAs(2, [...begin(nonce), []], key),
  (nonce, key) => {
    const fields = [...begin(nonce), ACCESS, 10n ** 9n, [VERSIONED]];
    const signed = signedAs(3, fields, key);
    return withType(3, RLP.encode([RLP.decode(signed.subarray(1)), [BLOB], [INFINITY], [INFINITY]]));
  },
  (nonce, key) => signedAs(4, [...begin(nonce), ACCESS, [authorization()]], key),
];

/**
 * Has a node mine a block of its own with other transactions, of the types in turns, and those that `record` sends. Resolves with
 * what `record` resolves with.
 */
export async function mineWith<T>(
  anvil: Anvil,
  others: number,
  types: readonly number[],
  record: readonly (() => Promise<T>)[],
): Promise<T[]> {
  await anvil.rpc('evm_setAutomine', [false]);
  await sendMixed(anvil, others, types);
  const recorded = record.map((one) => one());
  const isFull = async (): Promise<true | undefined> => {
    const { pending } = (await anvil.rpc('txpool_status')) as { readonly pending: string };
    return Number(pending) === others + record.length || undefined;
  };
  await eventually(isFull, SOON_MS, () => 'the pool lacks transactions');
  await anvil.rpc('evm_mine');
  return Promise.all(recorded);
}

/**
 * Puts transactions of an account with funds into the pool. Only the first of each type 3 has blobs: a block has little room for
 * them.
 */
export async function sendMixed(
  node: Pick<Anvil, 'rpc'>,
  count: number,
  types: readonly number[],
  { address, key }: { readonly address: string; readonly key: string } = FUNDED,
): Promise<void> {
  const first = Number(await node.rpc('eth_getTransactionCount', [address, 'latest']));
  for (let i = 0; i < count; i += 1) {
    const type = types[i % types.length]!;
    const signed = SIGNED[type === 3 && i >= types.length ? 2 : type]!(first + i, key);
    await node.rpc('eth_sendRawTransaction', [`0x${signed.toString('hex')}`]);
  }
}

/** An authorization by an account without transactions: a node may limit those of an account that gives one. */
function authorization(): Field {
  const fields: Field[] = [CHAIN, TO, 7n];
  return [...fields, ...signatureOf(withType(5, RLP.encode(fields)), `0x${'22'.repeat(32)}`)];
}

function signedAs(type: number, fields: Field[], key: string): Buffer {
  const signature = signatureOf(withType(type, RLP.encode(fields)), key);
  return withType(type, RLP.encode([...fields, ...signature]));
}

function signatureOf(message: Uint8Array, key: string): [parity: bigint, r: bigint, s: bigint] {
  const { signature, recid } = secp256k1.ecdsaSign(keccak_256(message), Buffer.from(key.slice(2), 'hex'));
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((part) =>
    BigInt(`0x${Buffer.from(part).toString('hex')}`),
  );
  return [BigInt(recid), r!, s!];
}

function withType(type: number, rlp: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(type), rlp]);
}
