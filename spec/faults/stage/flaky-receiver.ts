import { type Got, startReceiver } from '../../delivery/senders/receiver.js';

/** Members of a webhook's body that the specs use. */
export interface Fired {
  readonly id: string;
  readonly factId: number;
  readonly serverId: string;
  readonly subscriptionId: string;
  readonly measures: { readonly cpu: number };
}

/** A webhook receiver that records each firing once and compares repetitions. */
export interface FlakyReceiver {
  readonly url: string;
  /** Returns the firing of a fact for a subscription, if it was answered 200. */
  delivered(subscriptionId: string, factId: number): Fired | undefined;
  /** Returns the numbers of the facts that came for a subscription, by their values. */
  numbersOf(subscriptionId: string): ReadonlyMap<number, readonly number[]>;
  /** Number of firings answered 200, and of received requests. */
  counts(): { readonly firings: number; readonly requests: number };
  /** Firings with two ids, and repetitions that differ from the first. */
  readonly surprises: string[];
  /** Answers every further request with 200. */
  behave(): void;
  stop(): Promise<void>;
}

interface Known {
  readonly id: string;
  readonly body: string;
  readonly fired: Fired;
  delivered: boolean;
}

/** Starts a receiver that sometimes answers 500 or resets the connection. */
export async function flakyReceiver(random: () => number): Promise<FlakyReceiver> {
  const known = new Map<string, Known>();
  const surprises: string[] = [];
  let flaky = true;
  let requests = 0;
  let firings = 0;

  const remember = ({ headers, body }: Got): Known => {
    const fired = JSON.parse(body) as Fired;
    const id = String(headers['webhook-id']);
    const key = keyOf(fired.subscriptionId, fired.factId);
    const before = known.get(key);
    if (id !== fired.id) surprises.push(`webhook-id ${id} has the body of ${fired.id}`);
    if (before === undefined) {
      const first = { id, body, fired, delivered: false };
      known.set(key, first);
      return first;
    }
    if (before.id !== id) surprises.push(`${key} came as ${before.id} and as ${id}`);
    if (before.body !== body) surprises.push(`${id} came with two bodies: ${before.body} and ${body}`);
    return before;
  };

  const receiver = await startReceiver((response, got) => {
    requests += 1;
    // Tens of thousands of requests: only `known` is stored.
    receiver.got.length = 0;
    const firing = remember(got);
    const dice = flaky ? random() : 1;
    if (dice < 0.05) got.socket.destroy();
    else if (dice < 0.15) response.writeHead(500).end('not now');
    else {
      if (!firing.delivered) firings += 1;
      firing.delivered = true;
      response.writeHead(200).end();
    }
  });

  return {
    url: `${receiver.origin}/hook`,
    delivered(subscriptionId, factId) {
      const firing = known.get(keyOf(subscriptionId, factId));
      return firing?.delivered === true ? firing.fired : undefined;
    },
    numbersOf(subscriptionId) {
      const numbers = new Map<number, number[]>();
      for (const { fired } of known.values()) {
        if (fired.subscriptionId !== subscriptionId) continue;
        const same = numbers.get(fired.measures.cpu) ?? [];
        numbers.set(fired.measures.cpu, [...same, fired.factId]);
      }
      return numbers;
    },
    counts: () => ({ firings, requests }),
    surprises,
    behave() {
      flaky = false;
    },
    stop: () => receiver.stop(),
  };
}

function keyOf(subscriptionId: string, factId: number): string {
  return `${subscriptionId}/${factId}`;
}
