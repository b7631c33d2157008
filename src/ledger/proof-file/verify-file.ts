import { isObject } from '../../untrusted/json.js';
import type { ProofFile } from '../shapes.js';
import {
  bytesIn,
  bytesOf,
  type Hex,
  hexOf,
  integerIn,
  isSame,
  type Item,
  joined,
  keccak,
  listIn,
  listOf,
} from './bytes.js';
import { canonicalHash, type JsonSource, valueOf } from './given-content.js';
import { timeText } from './header-time.js';
import { CONTENT_OF, type ContentKind, formFault } from './proof-form.js';
import {
  EXPECTED,
  type ProofExpectations,
  type ProofStep,
  type ProofStepName,
  type ProofVerdict,
} from './proof-verdict.js';
import { signedCall, type SignedCall, typed } from './signed-call.js';
import { lastValue, rootOfWay } from './trie-proof.js';

/** Content, with its kind as its name: exactly one. */
export type GivenContent = { readonly [Kind in ContentKind]?: JsonSource };

/** The keccak-256 of `Timestamp(uint256,uint256)`, and the first four bytes of that of `timestamp(uint256,uint256)`. */
const TOPIC = '0xa3865c00e01495fc2b86502cae36a4edb139f748682e7d80725a3d6571a482fa';
const SELECTOR = '0xb97da33b';

/** Places of the fields of a header, and the least number of its fields. */
const TRANSACTIONS_ROOT = 4;
const RECEIPTS_ROOT = 5;
const NUMBER = 8;
const TIME = 11;
const LEAST_FIELDS = 15;

/** Ends a step. The sentence says why. */
class Refused extends Error {
  override readonly name = 'Refused';
}

const UNREADABLE = 'It cannot be read: it has another form.';

/** What steps leave to later ones. */
interface Findings {
  receiptType: number;
  /** Of receipts. */
  root: Uint8Array;
  header: readonly Item[];
  call: SignedCall;
}

/**
 * Verifies a proof file for content, and asks nobody (docs/proofs.md). The steps are taken in order, up to the first that
 * fails. Never throws for what is in the file or the content.
 */
export function verifyFile(
  source: JsonSource,
  content: GivenContent,
  expected: ProofExpectations = {},
): ProofVerdict {
  const steps: ProofStep[] = [];
  const found = {} as Findings;
  let file = {} as ProofFile;
  const checks: readonly (readonly [ProofStepName, () => string])[] = [
    ['file', () => ((file = fileIn(source)), 'The file has the form of a proof.')],
    ['content', () => contentStep(file, content)],
    ['asset', () => assetStep(file)],
    ['event', () => eventStep(file, found)],
    ['receipt', () => receiptStep(file, found)],
    ['header', () => headerStep(file, found)],
    ['transaction', () => transactionStep(file, found)],
    ['signature', () => signatureStep(file, found)],
    ['expected', () => expectedStep(file, expected)],
  ];
  for (const [name, check] of checks) {
    const step = taken(name, check);
    steps.push(step);
    if (!step.ok) return { verified: false, steps };
  }
  const { chainId, entityId, hash, from, contract, recordedAt, block, operation } = file;
  return {
    verified: true,
    steps,
    proven: {
      chainId,
      entityId,
      contentHash: hash,
      from,
      contract,
      transactionHash: found.call.hash,
      blockNumber: block.number,
      blockHash: block.hash,
      recordedAt,
    },
    unproven: { operation, content: CONTENT_OF.get(operation)! },
    trusted: EXPECTED.map(([name]) => name).filter((name) => expected[name] === undefined),
  };
}

function taken(name: ProofStepName, check: () => string): ProofStep {
  try {
    return { name, ok: true, text: check() };
  } catch (error) {
    return { name, ok: false, text: error instanceof Refused ? error.message : UNREADABLE };
  }
}

function need(isFit: boolean, sentence = UNREADABLE): void {
  if (!isFit) throw new Refused(sentence);
}

function jsonIn(source: JsonSource): unknown {
  try {
    return valueOf(source);
  } catch (error) {
    throw new Refused(`It cannot be read: ${(error as Error).message}.`);
  }
}

function fileIn(source: JsonSource): ProofFile {
  const value = jsonIn(source);
  const fault = formFault(value);
  need(fault === undefined, `The file is not a proof: ${fault} has another form.`);
  return value as ProofFile;
}

function contentStep({ operation, entityId, hash }: ProofFile, content: GivenContent): string {
  const kind = CONTENT_OF.get(operation)!;
  const given = Object.entries(content).filter(([, source]) => source !== undefined);
  const [name = 'nothing', source] = given[0] ?? [];
  need(
    given.length === 1 && name === kind,
    `The operation ${operation} records the kind ${kind}, not ${name}.`,
  );
  const value = jsonIn(source);
  if (!isObject(value)) throw new Refused(UNREADABLE);
  need(isAbout(value, operation, entityId), `The ${kind} is of another entity.`);
  const own = canonicalHash(value);
  need(own === hash, `The ${kind} has the hash ${own}, and in the file ${hash}.`);
  return `The ${kind} has the hash ${hash}: keccak-256 of its canonical form (RFC 8785).`;
}

function isAbout(content: Readonly<Record<string, unknown>>, operation: string, entityId: string): boolean {
  if (operation === 'query') return !Object.hasOwn(content, 'entityId');
  if (operation === 'update') return true;
  return content[operation === 'retrieve' ? 'entityId' : 'id'] === entityId;
}

function assetStep({ entityId, hash, assetId, batch }: ProofFile): string {
  const what = batch === undefined ? 'keccak-256 of the id of the entity' : 'root of the batch';
  const name = hexOf(
    batch === undefined
      ? keccak(entityId)
      : batch.proof.map(bytesOf).reduce(parentOf, keccak(keccak(bytesOf(hash)))),
  );
  need(name === assetId, `The ${what} is ${name}, and in the file ${assetId}.`);
  return `The ${what} is ${assetId}, its name in the contract.`;
}

/** The hash of two nodes of the tree of a batch. The smaller one is the left one. */
function parentOf(a: Uint8Array, b: Uint8Array): Uint8Array {
  const [left, right] = hexOf(a) < hexOf(b) ? [a, b] : [b, a];
  return keccak(joined(left, right));
}

/** The second argument of the event and of the call. */
function recordedHash({ batch, assetId, hash }: ProofFile): Hex {
  return batch === undefined ? hash : assetId;
}

function eventStep(file: ProofFile, found: Findings): string {
  const { type, list } = typed(lastValue(file.receipt.proof));
  found.receiptType = type;
  const fields = listIn(list);
  need(fields.length === 4);
  need(integerIn(fields[0]) === 1n, 'The receipt does not say success.');
  const wanted = [file.contract, TOPIC, file.assetId, recordedHash(file)].join(' ');
  need(listOf(fields[3]).map(eventOf).includes(wanted), 'The receipt has no such event.');
  return `The receipt has the event Timestamp of the contract ${file.contract} with this name and hash.`;
}

/** Returns the address and the topics of a log. */
function eventOf(log: Item): string {
  const fields = listOf(log);
  need(fields.length === 3);
  const [address, topics] = fields;
  return [hexOf(bytesIn(address)), ...listOf(topics).map((topic) => hexOf(bytesIn(topic)))].join(' ');
}

function rootOf(proof: readonly Hex[], index: number, what: string): Uint8Array {
  const root = rootOfWay(proof, index);
  if (typeof root === 'number') throw new Refused(`The proof of the ${what} breaks at node ${root}.`);
  return root;
}

function receiptStep({ receipt, transaction: { index } }: ProofFile, found: Findings): string {
  found.root = rootOf(receipt.proof, index, 'receipt');
  return `The receipt has the index ${index} under the root ${hexOf(found.root)} of receipts.`;
}

function headerStep({ block, recordedAt }: ProofFile, found: Findings): string {
  const bytes = bytesOf(block.header);
  const [hash, header] = [hexOf(keccak(bytes)), listIn(bytes)];
  need(hash === block.hash, `The hash of the header is ${hash}, and in the file ${block.hash}.`);
  found.header = header;
  need(
    header.length >= LEAST_FIELDS && isRoot(header[RECEIPTS_ROOT], found.root),
    'The header has another root of receipts.',
  );
  const number = integerIn(header[NUMBER]);
  need(number === BigInt(block.number), `The header has the number ${number}, and the file ${block.number}.`);
  const time = timeText(integerIn(header[TIME]));
  need(time === recordedAt, `The header has the time ${time}, and the file another one.`);
  return `The header has this root, the number ${number} and the time ${time}; its hash is ${hash}.`;
}

function isRoot(field: Item | undefined, root: Uint8Array): boolean {
  return field instanceof Uint8Array && isSame(field, root);
}

function transactionStep(file: ProofFile, found: Findings): string {
  const { transaction, contract, chainId, assetId } = file;
  const call = signedCall(lastValue(transaction.proof));
  const root = rootOf(transaction.proof, transaction.index, 'transaction');
  need(isRoot(found.header[TRANSACTIONS_ROOT], root), 'The header has another root of transactions.');
  need(call.type === found.receiptType, 'The transaction and the receipt have different types.');
  need(
    call.chainId === BigInt(chainId),
    `The transaction is for the chain ${call.chainId}, and in the file it is ${chainId}.`,
  );
  const data = `${SELECTOR}${assetId.slice(2)}${recordedHash(file).slice(2)}`;
  need(
    call.to === contract && call.data === data,
    'The transaction does not make this call of the contract.',
  );
  found.call = call;
  return `The transaction ${call.hash} has this index, and makes this call of the contract on chain ${chainId}.`;
}

function signatureStep({ from }: ProofFile, { call }: Findings): string {
  const signer = call.signer();
  need(signer === from, `The account ${signer} has signed, and in the file it is ${from}.`);
  return `The account ${signer} has signed the transaction.`;
}

function expectedStep({ block, contract, from }: ProofFile, expected: ProofExpectations): string {
  const own = { blockHash: block.hash, contract, from };
  const given = EXPECTED.filter(([name]) => expected[name] !== undefined);
  for (const [name, words] of given) need(expected[name] === own[name], `The ${words} is not the given one.`);
  return `As given: ${given.map(([, words]) => words).join(', ') || 'nothing was'}.`;
}
