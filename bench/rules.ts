import { callerOf } from './caller.js';
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

/** Rules with as many comparisons that have options. The first never holds, the second always, and is pending. */
export const OPTION_RULES: readonly object[] = [
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
export async function subscribeServers(url: string, rules: readonly object[] = PLAIN_RULES): Promise<void> {
  const call = await callerOf(url, 'demo');
  const addSubscribedRules = async (n: number): Promise<void> => {
    const made = (await call('POST', `${factsPath(n)}/rules`, rules)) as { rules: { ruleId: string }[] };
    for (const { ruleId } of made.rules) {
      await call('POST', `${factsPath(n)}/subscription`, { ruleId, url: 'http://127.0.0.1:9/unused' });
    }
  };
  for (let n = 0; n < SERVERS; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, i) => addSubscribedRules(n + i)));
  }
}
