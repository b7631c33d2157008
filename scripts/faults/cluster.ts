import { setTimeout as pause } from 'node:timers/promises';
import { request } from '../../spec/e2e/api-client.js';
import { eventually } from '../../spec/faults/stage/eventually.js';
import type { FaultyRelay } from '../../spec/faults/stage/faulty-relay.js';
import type { Launched, Launcher } from '../../spec/faults/stage/service-process.js';

const CLOCK_AHEAD = new URL('../../spec/faults/stage/clock-ahead-child.js', import.meta.url).href;

/** Time limit of a start without a fault, ms. */
const READY_MS = 120_000;

/** A node of the service, over its restarts. */
export interface Node {
  /** Address of the running process; undefined while there is none that is ready. */
  url: string | undefined;
  process: Launched | undefined;
  /** The relay between it and the database. */
  readonly relay: FaultyRelay | undefined;
  /** Output of all its processes. */
  output: string;
}

/** The nodes of a round. */
export interface Cluster {
  readonly nodes: readonly Node[];
  /** Addresses of the nodes that are ready; those of before if none is. */
  urls(): readonly string[];
  /** Starts a process of a node, again and again until one is ready. */
  start(node: Node): Promise<void>;
  kill(node: Node): Promise<void>;
  /** Resolves once every node says that it is healthy. */
  healthy(): Promise<void>;
}

/** Creates nodes that are not started. `clockAhead` returns how far the clock of the next process is ahead, ms. */
export function createCluster(
  launcher: Launcher,
  relays: readonly (FaultyRelay | undefined)[],
  settingsOf: (relay: FaultyRelay | undefined) => Readonly<Record<string, string>>,
  clockAhead: () => number,
  onChange: () => void,
): Cluster {
  const nodes = relays.map((relay): Node => ({ url: undefined, process: undefined, relay, output: '' }));
  let known: readonly string[] = [];
  const changed = (): void => {
    const ready = nodes.flatMap(({ url }) => url ?? []);
    if (ready.length > 0) known = ready;
    onChange();
  };
  const kill = async (node: Node): Promise<void> => {
    const { process } = node;
    node.url = node.process = undefined;
    changed();
    await process?.kill('SIGKILL');
    node.output += process?.output() ?? '';
  };
  return {
    nodes,
    urls: () => known,
    kill,
    async start(node) {
      const deadline = performance.now() + READY_MS;
      for (;;) {
        const settings = { ...settingsOf(node.relay), CLOCK_AHEAD_MS: String(Math.round(clockAhead())) };
        const launched = launcher.launch(settings, [], ['--import', CLOCK_AHEAD]);
        node.process = launched;
        const late = setTimeout(() => launched.giveUp('time is up'), READY_MS);
        try {
          node.url = (await launched.ready).url;
          return changed();
        } catch (error) {
          // Without its database a service ends. Whoever runs it starts it again.
          await kill(node);
          if (performance.now() > deadline) throw error;
          await pause(200);
        } finally {
          clearTimeout(late);
        }
      }
    },
    async healthy() {
      for (const { url } of nodes) {
        let last = '';
        await eventually(
          async () => {
            const { status, text } = await request(`${url}/health`, 'GET');
            last = `${status} ${text}`;
            return status === 200 ? true : undefined;
          },
          READY_MS,
          () => `${url} is not healthy although the faults have ended: ${last}`,
        );
      }
    },
  };
}
