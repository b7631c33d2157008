import { type Anvil, FREE_CHAIN, startAnvil } from './chain.js';

/** A node, and the snapshot to restore before a spec. */
interface Shared {
  readonly anvil: Anvil;
  readonly isAutomining: unknown;
  snapshot: unknown;
  /** False if the node has ended or its blocks were removed: the snapshot is lost, and the next spec gets another node. */
  isSpent: boolean;
}

/**
 * Starts one anvil with `args` for all specs of a `describe` and prepares it once. Each spec finds the prepared state.
 * Users of the chain must be closed by hooks that come before this call. A spec that stops the node or reorganises its
 * chain is the last one on it.
 */
export function sharedAnvil(
  args: readonly string[] = FREE_CHAIN,
  prepare: (anvil: Anvil) => Promise<unknown> = async () => undefined,
): () => Anvil {
  let shared: Shared | undefined;

  beforeEach(async () => {
    shared ??= await begin(args, prepare);
    shared.snapshot = await shared.anvil.rpc('evm_snapshot');
  });
  afterEach(async () => {
    if (shared?.isSpent !== true) return shared && goBack(shared);
    await shared.anvil.stop();
    shared = undefined;
  });
  after(() => shared?.anvil.stop());

  return () => shared!.anvil;
}

async function begin(args: readonly string[], prepare: (anvil: Anvil) => Promise<unknown>): Promise<Shared> {
  const anvil = await startAnvil(args);
  const isAutomining = await anvil.rpc('anvil_getAutomine');
  await prepare(anvil);
  const watched: Anvil = {
    ...anvil,
    kill(signal) {
      shared.isSpent = true;
      return anvil.kill(signal);
    },
    stop() {
      shared.isSpent = true;
      return anvil.stop();
    },
    rpc(method, params) {
      if (method === 'anvil_reorg') shared.isSpent = true;
      return anvil.rpc(method, params);
    },
  };
  const shared = { anvil: watched, isAutomining, snapshot: undefined, isSpent: false };
  return shared;
}

async function goBack({ anvil, isAutomining, snapshot }: Shared): Promise<void> {
  // A snapshot includes neither pending transactions nor the mining mode.
  await anvil.rpc('anvil_dropAllTransactions');
  await anvil.rpc('evm_setAutomine', [isAutomining]);
  if ((await anvil.rpc('evm_revert', [snapshot])) !== true) throw new Error('anvil did not go back');
}
