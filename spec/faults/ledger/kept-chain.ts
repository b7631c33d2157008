import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deployTimestamper } from '../../../src/embedded/chain/deploy.js';
import { type ChainNode, startChainNode } from '../../../src/embedded/chain/node.js';

/**
 * Starts a chain for one spec whose node may be killed. The keeper restarts the node and saves its state atomically, which
 * anvil alone does not. Closing the chain removes its folder.
 */
export async function keptChain(): Promise<ChainNode> {
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-chain-'));
  const node = await startChainNode({ folder, log: () => undefined });
  return {
    ...node,
    async close() {
      await node.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Puts the contract on a chain. Resolves with the settings of a service whose ledger uses it. */
export async function ledgerOn({ url }: ChainNode): Promise<Readonly<Record<string, string>>> {
  return { LEDGER: 'on', CHAIN_RPC_URL: url, CHAIN_CONTRACT: await deployTimestamper(url) };
}
