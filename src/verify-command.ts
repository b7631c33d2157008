import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { openChain } from './chain/open.js';
import { type Chain, ChainUnavailable, type Hex } from './chain/port.js';
import { Refusal } from './errors.js';
import { fieldOf } from './untrusted/json.js';
import { parseJson } from './untrusted/json-text.js';
import { hashOf } from './ledger/content/content-hash.js';
import { parseContent } from './ledger/content/content-json.js';
import { DEEPEST } from './ledger/content/entity.js';
import { claimOf } from './ledger/verify/claim.js';
import { verdictText } from './ledger/verify/verdict-text.js';
import { verify } from './ledger/verify/verify.js';

const USAGE = `Usage: mirzam verify --rpc URL --transaction 0x… CONTENT [--contract 0x…] [--json]

Says whether a transaction has recorded some content. Only the chain is asked.

  --rpc URL           the JSON-RPC address of a node of the chain: http, https, ws or wss
  --transaction HASH  the transaction; left out where --receipt is given
  --receipt FILE      the receipt as the service answered it: names the transaction, and has the proof of a batch
  --contract ADDRESS  the contract that must have recorded it; by default the one that the transaction calls
  --json              the verdict as JSON

CONTENT, in files of JSON (- reads the standard input), is one of
  --entity FILE [--proof FILE]                    an entity, created or in a batch; the proof is an array of hashes.
                                                  An array of entities is compared one by one: the whole batch, or
                                                  with --receipt a part of it
  --entity-id ID --fragment FILE                  an update of an entity
  --query FILE [--related-entity ID]              a query or a retrieval, as additionalInformation.query has it

Ends with 0 where the content was recorded, with 1 where it was not, and with 2 where that could not be found out.
`;

const OPTIONS = {
  rpc: { type: 'string' },
  transaction: { type: 'string' },
  receipt: { type: 'string' },
  contract: { type: 'string' },
  entity: { type: 'string' },
  proof: { type: 'string' },
  'entity-id': { type: 'string' },
  fragment: { type: 'string' },
  query: { type: 'string' },
  'related-entity': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Given = ReturnType<typeof given>;

/** Standard streams of the command. */
export interface CommandStreams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** A chain opened for reading only. */
type Answering = Pick<Chain, 'transaction' | 'receipt' | 'block' | 'close'>;

/**
 * `mirzam verify`: verifies content against a chain, without the service. Returns the exit code: 0 verified, 1 not verified,
 * 2 for unusable arguments or files, or a node that does not answer. Never throws.
 */
export async function verifyCommand(
  args: readonly string[],
  streams: CommandStreams,
  open: (url: string) => Promise<Answering> = openNode,
): Promise<0 | 1 | 2> {
  try {
    const options = given(args);
    if (options.help === true) {
      streams.stdout.write(USAGE);
      return 0;
    }
    const { body, proofs } = await claimed(options, streams.stdin);
    const claim = claimOf(body);
    const insisted = addressOf(options.contract);
    const chain = await open(rpcOf(options.rpc));
    try {
      const contract = insisted ?? (await chain.transaction(claim.transactionHash))?.to ?? '0x';
      const storedProofs = async (): Promise<typeof proofs> => proofs;
      const verdict = await verify(claim, { chain: { ...chain, contract }, storedProofs });
      const examined = {
        transactionHash: claim.transactionHash,
        contract,
        contractFromTransaction: insisted === undefined,
      };
      streams.stdout.write(
        options.json === true
          ? `${JSON.stringify({ ...verdict, ...examined }, undefined, 2)}\n`
          : verdictText(verdict, examined),
      );
      return verdict.verified ? 0 : 1;
    } finally {
      await chain.close();
    }
  } catch (error) {
    streams.stderr.write(`mirzam verify: ${messageOf(error)}\n`);
    if (error instanceof Refusal && error.code === 'not-found') return 1;
    streams.stderr.write('Run "mirzam verify --help" for what it takes.\n');
    return 2;
  }
}

/** Opens the node for reading the transactions of any contract. The costs of new transactions do not matter. */
function openNode(url: string): Promise<Answering> {
  const contract: Hex = `0x${'00'.repeat(20)}`;
  return openChain({ url, contract, gasPriceFactor: 1, gasLimit: undefined, finality: 1, now: Date.now });
}

function messageOf(error: unknown): string {
  const cause = error instanceof Refusal && error.code === 'unavailable' ? error.cause : error;
  // The error's own message names settings of the service.
  if (cause instanceof ChainUnavailable) {
    const why = cause.reason === undefined ? '' : ` (${cause.reason})`;
    return `no node of a chain answers at --rpc${why}: see that it runs, and that this is its JSON-RPC address, which is not the service’s`;
  }
  return error instanceof Error ? error.message : String(error);
}

function given(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false }).values;
}

function rpcOf(url: string | undefined): string {
  if (url !== undefined && URL.canParse(url) && /^(?:http|ws)s?:$/.test(new URL(url).protocol)) return url;
  throw new Error('--rpc must be the http, https, ws or wss URL of a node of the chain');
}

function addressOf(text: string | undefined): Hex | undefined {
  if (text === undefined || /^0x[\da-f]{40}$/i.test(text)) return text?.toLowerCase() as Hex | undefined;
  throw new Error('--contract must be an address: 0x and 40 hexadecimal digits');
}

/** Returns the claim in the form of the service's API, from files and from a receipt, and the proofs of a receipt. */
async function claimed(options: Given, stdin: NodeJS.ReadableStream) {
  const { entity: whole, fragment: part, query: asked, 'entity-id': partOf } = options;
  if ([whole, part ?? partOf, asked].filter((one) => one !== undefined).length !== 1) {
    throw new Error('give exactly one of: --entity; --entity-id and --fragment; --query');
  }
  const files = [options.entity, options.proof, options.fragment, options.query, options.receipt];
  if (files.filter((name) => name === '-').length > 1)
    throw new Error('only one file can be -, the standard input');
  const [entity, proof, fragment, query] = await Promise.all(
    files.slice(0, -1).map((name) => jsonIn(name, stdin, parseContent)),
  );
  const receipt = await jsonIn(options.receipt, stdin, (bytes) => parseJson(bytes, DEEPEST));
  const body = {
    transactionHash: transactionOf(options.transaction, receipt),
    ...(Array.isArray(entity) ? { entities: entity } : { entity }),
    proof: proof ?? proofIn(receipt, entity),
    entityId: options['entity-id'],
    fragment,
    query,
    relatedEntity: options['related-entity'],
  };
  return {
    body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
    proofs: proofsIn(receipt),
  };
}

function transactionOf(named: string | undefined, receipt: unknown): unknown {
  if (receipt === undefined) return named;
  const found = fieldOf(receipt, 'transactionHash');
  if (typeof found !== 'string') {
    const hint = fieldOf(receipt, 'txDetails') === undefined ? '' : '; take one of its txDetails';
    throw new Error(`--receipt must be a receipt: it has no transactionHash${hint}`);
  }
  if (named !== undefined && named.toLowerCase() !== found.toLowerCase())
    throw new Error(`--receipt is of another transaction, ${found}: leave --transaction out`);
  return found;
}

/** Returns the proofs of the entries in a receipt by the hash of their content, unchecked but for their form. */
function proofsIn(receipt: unknown): ReadonlyMap<Hex, readonly Hex[]> {
  const entries = fieldOf(receipt, 'additionalInformation', 'entities');
  const proofs = new Map<Hex, readonly Hex[]>();
  for (const entry of Array.isArray(entries) ? entries : []) {
    const [hash, proof] = [fieldOf(entry, 'hash'), fieldOf(entry, 'proof')];
    if (typeof hash === 'string' && Array.isArray(proof) && proof.every((one) => typeof one === 'string'))
      proofs.set(hash as Hex, proof as Hex[]);
  }
  return proofs;
}

/** Returns a receipt's proof of this entity. Of the entries with its id, prefers the one with its content. */
function proofIn(receipt: unknown, entity: unknown): unknown {
  const entries = fieldOf(receipt, 'additionalInformation', 'entities');
  const entityId = fieldOf(entity, 'id');
  if (!Array.isArray(entries) || entityId === undefined) return undefined;
  const own = entries.filter((entry) => fieldOf(entry, 'entityId') === entityId);
  const hash = hashOf(entity);
  return fieldOf(own.find((entry) => fieldOf(entry, 'hash') === hash) ?? own[0], 'proof');
}

async function jsonIn(
  name: string | undefined,
  stdin: NodeJS.ReadableStream,
  parse: (bytes: Buffer) => unknown,
): Promise<unknown> {
  if (name === undefined) return undefined;
  try {
    return parse(name === '-' ? await buffer(stdin) : await readFile(name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${name}: ${code === 'ENOENT' ? 'there is no such file' : message}`, { cause: error });
  }
}
