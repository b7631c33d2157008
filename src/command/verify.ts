import { Command } from 'commander';
import { ChainUnavailable, type Hex } from '../chain/port.js';
import { Refusal } from '../errors.js';
import { fieldOf } from '../untrusted/json.js';
import { parseJson } from '../untrusted/json-text.js';
import { hashOf } from '../ledger/content/content-hash.js';
import { parseContent } from '../ledger/content/content-json.js';
import { DEEPEST } from '../ledger/content/i-json.js';
import { claimOf } from '../ledger/verify/claim.js';
import { verdictText } from '../ledger/verify/verdict-text.js';
import { openForReading, type ReadChain, verifyOnChain } from '../ledger/verify/verify-on-chain.js';
import { type CommandBuilder, type CommandStreams, type ExitCode, Failure } from './context.js';
import { bytesOf, contentOf, parsed } from './files.js';
import { isProofFile, type ProofFileOptions, verifyProofFile } from './verify-proof-file.js';

const MORE = `
CONTENT, in files of JSON (- reads the standard input), is one of
  --entity FILE [--proof FILE]                    an entity, created or in a batch; the proof is an array of hashes.
                                                  An array of entities is compared one by one: the whole batch, or
                                                  with --receipt a part of it
  --entity-id ID --fragment FILE                  an update of an entity
  --query FILE [--related-entity ID]              a query or a retrieval, as additionalInformation.query has it

With a proof file no network is used, and each step is printed:
  --proof FILE --entity FILE [--block-hash 0x…] [--contract 0x…] [--from 0x…]
                                                  or --fragment FILE, or --query FILE. Given values are compared.
                                                  The block hash has to be trusted

Exits with 0 if the content was recorded, with 1 if it was not, and with 2 if that could not be determined.`;

/** Options as the parser gives them. */
interface Given extends ProofFileOptions {
  readonly rpc?: string;
  readonly proof?: string;
}

/** `mirzam verify`: verifies content against a chain, without the service. `open`: opens a node of the chain. */
export function verifyCommand(open: (url: string) => Promise<ReadChain> = openForReading): CommandBuilder {
  return (context) =>
    new Command('verify')
      .description(
        'Verifies that a transaction has recorded some content: by a node of the chain, or by a proof file without a network.',
      )
      .usage('--rpc URL --transaction 0x… CONTENT [--contract 0x…] [--json]')
      .option('--rpc <URL>', 'the JSON-RPC address of a node of the chain: http, https, ws or wss')
      .option('--transaction <HASH>', 'the transaction; left out with --receipt')
      .option(
        '--receipt <FILE>',
        'the receipt as the service answered it: names the transaction, and has the proof of a batch',
      )
      .option(
        '--contract <ADDRESS>',
        'the contract that must have recorded it; by default the one that the transaction calls',
      )
      .option('--entity <FILE>', 'an entity, or an array of entities')
      .option('--proof <FILE>', 'a proof file; or an array, the proof of the entity in its batch')
      .option('--entity-id <ID>', 'the entity of an update')
      .option('--fragment <FILE>', 'the update')
      .option('--query <FILE>', 'a query or a retrieval')
      .option('--related-entity <ID>', 'the entity that the query is recorded with')
      .option('--block-hash <HASH>', 'the hash that the block of a proof file must have')
      .option('--from <ADDRESS>', 'the account that must have signed the transaction of a proof file')
      .option('--json', 'the verdict as JSON')
      .addHelpText('after', MORE)
      .action(context.ending((options: Given) => verified(options, context, open)));
}

async function verified(
  options: Given,
  streams: CommandStreams,
  open: (url: string) => Promise<ReadChain>,
): Promise<ExitCode> {
  const { stdin, stdout } = streams;
  checkFiles(options);
  const proof = options.proof === undefined ? undefined : await bytesOf(options.proof, stdin);
  if (isProofFile(proof, options)) return await verifyProofFile(proof, options, streams);
  if ((options.blockHash ?? options.from) !== undefined)
    throw new Error('--block-hash and --from are for a proof file, which --proof names');
  try {
    const { body, proofs } = await claimed(options, proof, stdin);
    const claim = claimOf(body);
    const insisted = addressOf(options.contract);
    const { transactionHash, contract, contractFromTransaction, ...verdict } = await verifyOnChain(
      claim,
      await open(rpcOf(options.rpc)),
      insisted,
      proofs,
    );
    const examined = { transactionHash, contract, contractFromTransaction };
    stdout.write(
      options.json === true
        ? `${JSON.stringify({ ...verdict, ...examined }, undefined, 2)}\n`
        : verdictText(verdict, examined),
    );
    return verdict.verified ? 0 : 1;
  } catch (error) {
    throw understood(error);
  }
}

/** Returns the error in the words of the command. */
function understood(error: unknown): unknown {
  if (!(error instanceof Refusal || error instanceof ChainUnavailable)) return error;
  if (error instanceof Refusal && error.code === 'not-found') {
    return new Failure(error.message, { code: 1, cause: error });
  }
  const cause = error instanceof Refusal && error.code === 'unavailable' ? error.cause : error;
  // The error's own message names settings of the service.
  if (!(cause instanceof ChainUnavailable)) return error;
  const why = cause.reason === undefined ? '' : ` (${cause.reason})`;
  return new Failure(
    `no node of a chain answers at --rpc${why}: see that it runs, and that this is its JSON-RPC address, which is not the service’s`,
    { cause },
  );
}

function rpcOf(url: string | undefined): string {
  if (url !== undefined && URL.canParse(url) && /^(?:http|ws)s?:$/.test(new URL(url).protocol)) return url;
  throw new Error('--rpc must be the http, https, ws or wss URL of a node of the chain');
}

function addressOf(text: string | undefined): Hex | undefined {
  if (text === undefined || /^0x[\da-f]{40}$/i.test(text)) return text?.toLowerCase() as Hex | undefined;
  throw new Error('--contract must be an address: 0x and 40 hexadecimal digits');
}

/** Throws an `Error` unless the files have exactly one kind of content, and at most one is the standard input. */
function checkFiles({ entity, proof, fragment, query, receipt, entityId }: Given): void {
  if ([entity, fragment ?? entityId, query].filter((one) => one !== undefined).length !== 1) {
    throw new Error('give exactly one of: --entity; --entity-id and --fragment; --query');
  }
  if ([entity, proof, fragment, query, receipt].filter((name) => name === '-').length > 1)
    throw new Error('only one file can be -, the standard input');
}

/**
 * Returns the claim in the form of the service's API, from files and from a receipt, and the proofs of a receipt. `given`: the
 * bytes of the file with the proof of an entity in its batch.
 */
async function claimed(options: Given, given: Buffer | undefined, stdin: NodeJS.ReadableStream) {
  const [entity, fragment, query] = await Promise.all(
    [options.entity, options.fragment, options.query].map((name) => jsonIn(name, stdin, parseContent)),
  );
  const proof = given === undefined ? undefined : parsed(options.proof!, given, parseContent);
  const receipt = await jsonIn(options.receipt, stdin, (bytes) => parseJson(bytes, DEEPEST));
  const body = {
    transactionHash: transactionOf(options.transaction, receipt),
    ...(Array.isArray(entity) ? { entities: entity } : { entity }),
    proof: proof ?? proofIn(receipt, entity),
    entityId: options.entityId,
    fragment,
    query,
    relatedEntity: options.relatedEntity,
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
  return name === undefined ? undefined : await contentOf(name, stdin, parse);
}
