import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { openChain } from '../../../src/chain/open.js';
import type { Chain, Hex } from '../../../src/chain/port.js';
import { chainBinary } from '../../../src/embedded/chain/binary.js';
import { type ChainNode, startChainNode } from '../../../src/embedded/chain/node.js';
import { StartError } from '../../../src/errors.js';
import { addressOf, signTransaction } from '../../../src/wallets/transaction-bytes.js';
import { minedIn, optionsFor, wordOf } from '../../chain/scene.js';
import { timestampCall } from '../../../src/chain/timestamp-call.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { rejectionOf } from '../../rejection.js';

const CHILD = fileURLToPath(new URL('node-child.js', import.meta.url));
const KEY = Buffer.alloc(32, 7);

describe('embedded chain', () => {
  let folder: string;
  let nodes: ChainNode[];
  let chains: Chain[];
  let lines: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chain-node-'));
    [nodes, chains, lines] = [[], [], []];
  });
  afterEach(async () => {
    await Promise.all(chains.map((it) => it.close()));
    await Promise.all(nodes.map((it) => it.close()));
    await rm(folder, { recursive: true, force: true });
  });

  async function start(place = join(folder, 'chain')): Promise<ChainNode> {
    const node = await startChainNode({ folder: place, log: (line) => lines.push(line) });
    nodes.push(node);
    return node;
  }

  /** Opens the chain with its contract. */
  async function open(url: string): Promise<Chain> {
    const chain = await openChain(optionsFor(url, await deployTimestamper(url)));
    chains.push(chain);
    return chain;
  }

  /** Records with an account without funds. */
  async function record(chain: Chain, nonce: number): Promise<Hex> {
    const data = timestampCall(wordOf(nonce), wordOf(nonce));
    const from = addressOf(KEY);
    const fees = await chain.fees();
    const { raw, hash } = signTransaction(
      { from, to: chain.contract, data, nonce, chainId: chain.id, ...fees },
      KEY,
    );
    expect(await chain.send(raw)).to.deep.equal({ is: 'sent', known: false });
    await minedIn(chain, hash, 1);
    return hash;
  }

  /** Resolves once the state on the disk has this many transactions, including the contract's. */
  const isSaved = (transactions: number): Promise<true> =>
    eventually(
      async () => {
        const text = await readFile(join(folder, 'chain', 'state.json'), 'utf8').catch(() => '{}');
        const { transactions: saved } = JSON.parse(text) as { transactions?: unknown[] };
        return saved?.length === transactions || undefined;
      },
      SOON_MS,
      () => 'not saved',
    );
  const isGone = (pid: number): Promise<true> =>
    eventually(
      () => !runs(pid) || undefined,
      SOON_MS,
      () => `process ${pid} still runs`,
    );

  const isAnother = (node: ChainNode, before: number): Promise<true> =>
    eventually(
      () => node.pid() !== before || undefined,
      SOON_MS,
      () => 'it is not replaced',
    );

  it('accepts free transactions of accounts without funds, under any load', async () => {
    const chain = await open((await start()).url);
    expect(chain.id).to.equal(1337);
    expect(await chain.fees()).to.include({ gasPrice: 0n });
    for (let nonce = 0; nonce < 20; nonce += 1) await record(chain, nonce);
    expect(await chain.fees()).to.include({ gasPrice: 0n });
    const response = await fetch(nodes[0]!.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}',
    });
    expect(((await response.json()) as { result: object }).result).to.not.have.property('baseFeePerGas');
  });

  it('keeps all blocks over a close and a start', async () => {
    const chain = await open((await start()).url);
    const hashes = [await record(chain, 0), await record(chain, 1), await record(chain, 2)];
    const receipts = await Promise.all(hashes.map((hash) => chain.receipt(hash)));
    const blocks = await Promise.all([0, 1, 2, 3].map((number) => chain.block(number)));
    await chain.close();
    await nodes[0]!.close();
    const again = await open((await start()).url);
    expect(again).to.include({ name: chain.name, contract: chain.contract });
    expect(await Promise.all(hashes.map((hash) => again.receipt(hash)))).to.deep.equal(receipts);
    expect(await Promise.all([0, 1, 2, 3].map((number) => again.block(number)))).to.deep.equal(blocks);
    expect(await minedIn(again, hashes[0]!, 3)).to.deep.equal(receipts[0]);
    await record(again, 3);
    expect(await again.block(5)).to.include({ parentHash: (await again.block(4))!.hash });
    await again.ping();
  });

  it('keeps its first block over a restart', async () => {
    const node = await start();
    const { name } = await open(node.url);
    const before = node.pid();
    process.kill(before, 'SIGKILL');
    await isAnother(node, before);
    expect((await open(node.url)).name).to.equal(name);
    expect(lines.join()).to.contain('started again');
  });

  it('restarts after a crash at the same address with all that was saved', async () => {
    const node = await start();
    const chain = await open(node.url);
    const before = node.pid();
    const hash = await record(chain, 0);
    await isSaved(2);
    process.kill(before, 'SIGKILL');
    await isAnother(node, before);
    expect(await chain.receipt(hash)).to.include({ transactionHash: hash });
    await record(chain, 1);
  });

  it('stops when the service is killed, without loss', async () => {
    const child = spawn(process.execPath, [CHILD, join(folder, 'chain')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { url, pid } = JSON.parse(line) as { url: string; pid: number };
    const hash = await record(await open(url), 0);
    child.kill('SIGKILL');
    await isGone(pid);
    const chain = await open((await start()).url);
    expect(await chain.receipt(hash)).to.include({ transactionHash: hash });
  });

  it('is killed on the next start if its keeper was killed with the service', async () => {
    const child = spawn(process.execPath, [CHILD, join(folder, 'chain')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { pid } = JSON.parse(line) as { pid: number };
    const keeper = parentOf(pid);
    child.kill('SIGSTOP');
    process.kill(keeper, 'SIGKILL');
    await isGone(keeper);
    child.kill('SIGKILL');
    expect(runs(pid)).to.equal(true);
    await start();
    await isGone(pid);
  });

  it('gets a new keeper after its keeper is killed', async () => {
    const node = await start();
    const chain = await open(node.url);
    const hash = await record(chain, 0);
    await isSaved(2);
    const before = node.pid();
    process.kill(parentOf(before), 'SIGKILL');
    await isAnother(node, before);
    await isGone(before);
    expect(await chain.receipt(hash)).to.include({ transactionHash: hash });
  });

  it('falls back to the previous state if the newest is unreadable, and logs it', async () => {
    const chain = await open((await start()).url);
    await record(chain, 0);
    await isSaved(2);
    await record(chain, 1);
    await isSaved(3);
    await nodes[0]!.close();
    const state = join(folder, 'chain', 'state.json');
    await writeFile(state, (await readFile(state, 'utf8')).slice(0, 1_000));
    const again = await open((await start()).url);
    expect(again.name).to.equal(chain.name);
    expect(lines.join()).to.match(/put aside as .*state\.unreadable\.json/);
    expect(await again.nextNonce(addressOf(KEY), 'latest')).to.equal(1);
  });

  it('writes to its folder only, which is closed to other users', async () => {
    const chain = await open((await start()).url);
    await record(chain, 0);
    await nodes[0]!.close();
    expect(await readdir(folder)).to.deep.equal(['chain']);
    expect((await stat(join(folder, 'chain'))).mode & 0o777).to.equal(0o700);
    expect((await stat(join(folder, 'chain', 'state.json'))).mode & 0o777).to.equal(0o600);
  });

  it('reports why it cannot start', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await rejectionOf(start(join(file, 'chain')))).to.be.an.instanceOf(StartError);
    expect(() => chainBinary('sunos', 'sparc')).to.throw(
      StartError,
      /@foundry-rs\/anvil-sunos-sparc.*CHAIN_RPC_URL/,
    );
    expect(existsSync(chainBinary())).to.equal(true);
  });
});

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie: its parent has not read its exit status.
  const status = `/proc/${pid}/status`;
  return !existsSync(status) || !/^State:\s+Z/m.test(readFileSync(status, 'utf8'));
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}
