import { setTimeout as pause } from 'node:timers/promises';
import { oneOf } from '../../spec/faults/stage/random.js';
import type { Cluster } from './cluster.js';
import type { Fault } from './options.js';

/** What the faults of a round act on. */
export interface Stage {
  readonly cluster: Cluster;
  readonly database: { kill(): Promise<void>; restart(): Promise<void> } | undefined;
  /** Lets the next commands of the nodes fail as during a step-down. */
  readonly stepDown: ((errorCode: number, times: number) => Promise<void>) | undefined;
  readonly killChain: (() => void) | undefined;
  readonly disk: { fill(): void; free(): void } | undefined;
}

/** NotWritablePrimary, PrimarySteppedDown, InterruptedDueToReplStateChange. */
const STEP_DOWN_CODES = [10_107, 189, 11_602] as const;

/** Longest pause between two faults of one lane, and longest fault, ms. */
const QUIET_MS = 3_000;
const FAULT_MS = 3_000;

/** Number of faults by name. */
export type Counts = Map<string, number>;

/**
 * Injects faults until `on` is false, those of different lanes at once. Resolves once all have ended, the nodes run and the
 * network forwards.
 */
export async function injectFaults(
  stage: Stage,
  faults: readonly Fault[],
  random: () => number,
  load: { readonly on: boolean },
): Promise<Counts> {
  const counts: Counts = new Map();
  const between = (least: number, most: number): number => least + random() * (most - least);
  const { cluster, database, stepDown, killChain, disk } = stage;

  /** Injects one fault after the other. */
  const lane = async (inject: () => Promise<string | undefined>): Promise<void> => {
    while (load.on) {
      await pause(between(200, QUIET_MS));
      if (!load.on) return;
      const name = await inject();
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  };

  const loseNode = async (): Promise<string | undefined> => {
    const node = oneOf(random, cluster.nodes);
    const isKill = faults.includes('kill') && !(faults.includes('pause') && random() < 0.4);
    if (isKill) {
      await cluster.kill(node);
      await pause(between(0, FAULT_MS));
      await cluster.start(node);
      return 'kill -9';
    }
    process.kill(node.process!.pid, 'SIGSTOP');
    await pause(between(500, FAULT_MS));
    process.kill(node.process!.pid, 'SIGCONT');
    return 'pause';
  };

  const loseNetwork = async (): Promise<string | undefined> => {
    const { relay } = oneOf(random, cluster.nodes);
    if (relay === undefined) return undefined;
    const kind = oneOf(random, ['delay', 'cut', 'silence', 'reset'] as const);
    if (kind === 'delay') relay.delay(between(5, 300));
    else if (kind === 'cut') relay.cut();
    else if (kind === 'silence') relay.silence();
    else relay.resetAnswers(Math.ceil(between(0, 6)));
    await pause(between(300, FAULT_MS));
    relay.heal();
    return `network ${kind}`;
  };

  const loseDatabase = async (): Promise<string | undefined> => {
    if (stepDown !== undefined && (database === undefined || random() < 0.7)) {
      // The server itself may be down at this moment.
      const isSet = await stepDown(oneOf(random, STEP_DOWN_CODES), Math.ceil(between(1, 12))).then(
        () => true,
        () => false,
      );
      return isSet ? 'step-down' : undefined;
    }
    if (database === undefined) return undefined;
    await database.kill();
    await pause(between(0, FAULT_MS));
    await database.restart();
    return 'database kill -9';
  };

  const fillDisk = async (): Promise<string> => {
    disk!.fill();
    await pause(between(500, FAULT_MS));
    disk!.free();
    return 'full disk';
  };

  const loseChain = async (): Promise<string> => {
    killChain!();
    await pause(FAULT_MS);
    return 'chain kill -9';
  };

  await Promise.all([
    ...(faults.includes('kill') || faults.includes('pause') ? [lane(loseNode)] : []),
    ...(faults.includes('network') ? [lane(loseNetwork)] : []),
    ...(database !== undefined || stepDown !== undefined ? [lane(loseDatabase)] : []),
    ...(disk === undefined ? [] : [lane(fillDisk)]),
    ...(killChain === undefined ? [] : [lane(loseChain)]),
  ]);
  return counts;
}
