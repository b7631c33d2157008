import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChainNode } from '../../../src/embedded/chain/node.js';
import type { ChainNode } from '../../../src/embedded/chain/node.js';

/**
 * A chain of a spec's own, whose node may be killed: it keeps its state such that a kill never leaves half of it, as
 * anvil by itself does, and comes back by itself. Its folder goes with it.
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
