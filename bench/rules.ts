import { SERVERS, factsPath } from './facts-load.js';

const SCALE_UP = { actionName: 'notify-scale', operation: 'scaleUp' };
const SCALE_DOWN = { actionName: 'notify-scale', operation: 'scaleDown' };

/** Rules of the interface document. None holds under the load. */
export const PLAIN_RULES: readonly object[] = [
  {
    name: 'busy',
    condition: { cpu: { value: 99, operand: 'greater' }, mem: { value: 99, operand: 'greater' } },
    action: SCALE_UP,
  },
  {
    name: 'full',
    condition: { hdd: { value: 100, operand: 'greater' }, net: { value: 100, operand: 'greater' } },
    action: SCALE_DOWN,
  },
];

/** Rules with as many comparisons that say when they speak. The first never holds, the second always, and is pending. */
export const SPEAKING_RULES: readonly object[] = [
  {
    name: 'busy',
    condition: {
      any: [
        { cpu: { value: 99, operand: 'greater', clear: 90 } },
        { mem: { value: 99, operand: 'greater', clear: 90 } },
      ],
    },
    action: SCALE_UP,
    for: 60,
    resolve: true,
  },
  {
    name: 'idle',
    condition: {
      any: [
        { hdd: { value: 99, operand: 'less', clear: 100 } },
        { net: { value: 99, operand: 'less', clear: 100 } },
      ],
    },
    action: SCALE_DOWN,
    for: 604_800,
    resolve: true,
  },
];

/** Creates rules with a subscription each for every server. Resolves once all are durable. */
export async function watchServers(url: string, rules: readonly object[] = PLAIN_RULES): Promise<void> {
  const token = await tokenOf(url);
  const call = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json', 'x-auth-token': token };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const addSubscribedRules = async (n: number): Promise<void> => {
    const made = (await call(`${factsPath(n)}/rules`, rules)) as { rules: { ruleId: string }[] };
    for (const { ruleId } of made.rules) {
      await call(`${factsPath(n)}/subscription`, { ruleId, url: 'http://127.0.0.1:9/unused' });
    }
  };
  for (let n = 0; n < SERVERS; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, i) => addSubscribedRules(n + i)));
  }
}

async function tokenOf(url: string): Promise<string> {
  const response = await fetch(`${url}/identity/v2.0/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } },
    }),
  });
  const answer = (await response.json()) as { access: { token: { id: string } } };
  return answer.access.token.id;
}
