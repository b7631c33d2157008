import { setTimeout as pause } from 'node:timers/promises';
import { type ApiAnswer, apiClient, type ApiClient, request } from '../../e2e/api-client.js';
import { okBody } from '../../e2e/policy/actions.js';
import type { Launched, Launcher } from '../../faults/stage/service-process.js';

/** Longest time from the start of a request to its kill, ms. */
const KILL_MS = 6;

/** A service in a process of its own, which is killed during some of its requests and started again. */
export interface DyingService extends ApiClient {
  /** Kills so far. */
  readonly kills: number;
}

/**
 * Starts a service. A kill hits a share of the requests that change something, but none that creates a rule. A request that
 * a kill hits is sent again to the next process, but for facts that are counted already: each request is carried out once.
 * Such an answer has no body.
 */
export async function dyingService(
  launcher: Launcher,
  random: () => number,
  share: number,
): Promise<DyingService> {
  let running: Launched & { readonly url: string } = await launcher.start();
  const { token } = await apiClient(running.url);
  let kills = 0;
  const send = (method: string, path: string, body?: unknown): Promise<ApiAnswer> =>
    request(running.url + path, method, body, { 'x-auth-token': token });

  /** Returns the number of the last fact of the server that a path of operation 1 names. */
  async function countedBy(path: string): Promise<number> {
    const server = path.slice(path.lastIndexOf('/') + 1);
    const { actors } = okBody(await send('GET', '/operator/actors?kind=server&limit=1000')) as unknown as {
      readonly actors: readonly { readonly tenant: string; readonly name: string }[];
    };
    const found = actors.find(({ name }) => name === server);
    if (found === undefined) return 0;
    const { context } = okBody(await send('GET', `/operator/actors/server/${found.tenant}/${server}`));
    return (context as unknown as { readonly factId: number }).factId;
  }

  return {
    token,
    get kills() {
      return kills;
    },
    async call(method, path, body) {
      const isSpared = method === 'GET' || (method === 'POST' && path.endsWith('/rules'));
      if (isSpared || random() >= share) return send(method, path, body);
      const isFacts = method === 'POST' && /\/servers\/[^/]+$/.test(path);
      const before = isFacts ? await countedBy(path) : 0;
      const sent = send(method, path, body).catch(() => undefined);
      await pause(random() * KILL_MS);
      await running.kill('SIGKILL');
      kills += 1;
      const answer = await sent;
      running = await launcher.start();
      if (answer !== undefined) return answer;
      if (isFacts && (await countedBy(path)) > before) return DONE;
      const again = await send(method, path, body);
      return again.status === 404 && method === 'DELETE' ? DONE : again;
    },
  };
}

const DONE: ApiAnswer = { status: 200, headers: new Headers(), text: '', body: {} };
