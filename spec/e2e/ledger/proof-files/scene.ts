import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import type { Hex } from '../../../../src/chain/port.js';
import { type GivenContent, type ProofFile, verifyProof } from '../../../../src/library/proof.js';
import { type Proxy, startProxy } from '../../../chain/proxy.js';
import { expectProof } from '../../../ledger/proofs/checked-proof.js';
import { FUNDED_TOO } from '../../../ledger/proofs/mixed-block.js';
import { type Anvil, FREE_CHAIN, startAnvil } from '../../../servers/chain.js';
import type { ApiAnswer } from '../../api-client.js';
import { type RunningService, runService } from '../../running-service.js';
import { deployed, type LedgerClient, ledgerClient, type Receipt, settingsFor } from '../scene.js';

/** Bytes of a proof file in a block of up to 200 transactions, and in any. */
export const [SMALL, LARGE] = [8_000, 16_000];

/** A service that gives proof files, with what stands between it and its chain. */
export interface ProofScene extends LedgerClient {
  readonly anvil: Anvil;
  readonly proxy: Proxy;
  readonly settings: Readonly<Record<string, string>>;
  running: RunningService;
  /** Stops the service, and starts it again with its store. */
  restart(): Promise<void>;
  /** Asks for the proof of an entity. */
  proof(transactionHash: string, query: string): Promise<ApiAnswer>;
  close(): Promise<void>;
}

/** Opens a service whose blocks are final at once, unless the settings say otherwise. */
export async function openProofs(
  settings: Readonly<Record<string, string>> = {},
  args: readonly string[] = FREE_CHAIN,
): Promise<ProofScene> {
  const anvil = await startAnvil(args);
  const proxy = await startProxy(anvil.url);
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-proofs-'));
  const contract = await deployed(anvil);
  const all = {
    ...settingsFor(proxy.url, contract),
    LEDGER_FINALITY: '1',
    DEFAULT_ACCOUNT_KEY: FUNDED_TOO,
    DATA_DIR: folder,
    ...settings,
  };
  const start = (): Promise<RunningService> => runService(all);
  const running = await start();
  const scene: ProofScene = {
    ...ledgerClient(running.url),
    ask: (asked, body, headers) => ledgerClient(scene.running.url).ask(asked, body, headers),
    anvil,
    proxy,
    settings: all,
    running,
    async restart() {
      await scene.running.close();
      scene.running = await start();
    },
    proof: (hash, query) => scene.ask(`GET /ledger/proofs/${hash}?${query}`),
    async close() {
      await scene.running.close();
      await proxy.close();
      await anvil.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return scene;
}

/** The proof file in an answer; fails with the answer's text where it is none. */
export function fileIn(answer: ApiAnswer): ProofFile {
  expect(answer.status, answer.text).to.equal(200);
  expect(answer.headers.get('content-type')).to.equal('application/vnd.mirzam.proof+json');
  return answer.body as unknown as ProofFile;
}

/** Asks for the proof of content that a receipt is about, checks it as somebody else would, and verifies it. */
export async function expectProven(
  scene: Pick<ProofScene, 'proof'>,
  receipt: Receipt,
  entityId: string,
  content: object,
  largest = SMALL,
): Promise<ProofFile> {
  const { transactionHash, blockHash, blockNumber, from, additionalInformation } = receipt;
  const answer = await scene.proof(transactionHash, `entity=${encodeURIComponent(entityId)}`);
  const file = fileIn(answer);
  const { operation, assetId } = additionalInformation;
  expect(file).to.include({ mirzamProof: 1, chainId: 1337, operation, entityId, assetId, from });
  expect(file.block).to.include({ number: blockNumber, hash: blockHash });
  expect(file.contract).to.equal(receipt.logs[0]!.address);
  expectProof(file, canonicalize(content)!, blockHash);
  const given = {
    create: { entity: content },
    upsert: { entity: content },
    update: { fragment: content },
    query: { query: content },
    retrieve: { query: content },
  }[operation] as GivenContent;
  const verdict = verifyProof(answer.text, given, { blockHash, from, contract: file.contract });
  expect(verdict, JSON.stringify(verdict)).to.have.property('verified', true);
  expect(Buffer.byteLength(answer.text)).to.be.at.most(largest);
  return file;
}

/** A hash that nothing has. */
export const NO_HASH: Hex = `0x${'5'.repeat(64)}`;
