import { hexFrom } from './answers.js';
import { mayEmit } from './contract-code.js';
import { NodeUnreachable } from './exchange.js';
import type { RpcCall } from './rpc-batcher.js';
import { ChainMisfit, type Hex } from './port.js';

/** Pause between two questions for a contract that is missing, ms. */
const MISSING_MS = 500;

export interface ContractWatchOptions {
  /** Must not share its batches: a node that is slow to look up code must not hold up other calls. */
  readonly call: RpcCall;
  readonly contract: Hex;
  /** Id of the chain, for messages. */
  readonly chainId: number;
  /** Called when the contract is found missing, and when it is there again. */
  readonly onChange: (isMissing: boolean) => void;
}

/** Knows whether the contract is on the chain. It asks the node when it is told to, and while the contract is missing. */
export type ContractWatch = ReturnType<typeof contractWatch>;

/** What the node has answered last. */
type Known =
  | { readonly is: 'there'; readonly emits: boolean }
  | { readonly is: 'missing'; readonly error: ChainMisfit }
  /** The node gives no answer to this question: the contract counts as there. */
  | { readonly is: 'unknown' }
  | { readonly is: 'unreachable'; readonly error: NodeUnreachable };

/** Makes the watch of a contract. It asks nothing before it is told to. */
export function contractWatch({ call, contract, chainId, onChange }: ContractWatchOptions) {
  let known: Known = { is: 'unknown' };
  /** How often there was a doubt, and how many of these an answer has ended. */
  let doubts = 1;
  let ended = 0;
  /** Value of `doubts` when the question that is on its way was sent. */
  let askedAt = 0;
  let wasMissing = false;
  let running: Promise<void> | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  async function answer(): Promise<Known> {
    try {
      const code = hexFrom(await call('eth_getCode', [contract, 'latest']), 'eth_getCode');
      if (code !== '0x') return { is: 'there', emits: mayEmit(code) };
    } catch (error) {
      return error instanceof NodeUnreachable ? { is: 'unreachable', error } : { is: 'unknown' };
    }
    const error = new ChainMisfit(
      `There is no contract at ${contract} on chain ${chainId}; check CHAIN_CONTRACT and CHAIN_RPC_URL.`,
    );
    return { is: 'missing', error };
  }

  async function ask(): Promise<void> {
    askedAt = doubts;
    known = await answer();
    running = undefined;
    if (known.is !== 'unreachable') ended = askedAt;
    if (closed) return;
    clearTimeout(timer);
    const isMissing = known.is === 'unreachable' ? wasMissing : known.is === 'missing';
    if (isMissing !== wasMissing) {
      wasMissing = isMissing;
      onChange(isMissing);
    }
    if (wasMissing) timer = setTimeout(() => void check(), MISSING_MS).unref();
  }

  /** Asks the node. Callers share a question that is on its way, unless there was a doubt since. Never rejects. */
  function check(): Promise<void> {
    if (running !== undefined) return askedAt === doubts ? running : running.then(check);
    running = ask();
    return running;
  }

  return {
    check,
    /** The answers so far may be of another chain: the node is asked before anything is sent. */
    doubt() {
      doubts += 1;
    },
    /** Resolves when there is no doubt; undefined if there is none now. */
    settled: () => (doubts > ended ? check() : undefined),
    /** Why nothing can be sent: the contract is missing, or the node could not be asked. */
    obstacle: () => (known.is === 'missing' || known.is === 'unreachable' ? known.error : undefined),
    missing: () => (known.is === 'missing' ? known.error : undefined),
    warning: () =>
      known.is === 'there' && !known.emits
        ? `The code at CHAIN_CONTRACT, ${contract}, cannot emit the event Timestamp(uint256,uint256): nothing is recorded.`
        : undefined,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
