import { expect } from 'chai';
import type {
  ExplainedSubscription,
  Explanation,
  TransitionView,
} from '../../../../src/policy/explain/shapes.js';
import { eventually, SOON_MS } from '../../../faults/stage/eventually.js';
import type { ApiClient } from '../../api-client.js';
import { factsBody, okBody } from '../actions.js';

export const SERVER = '/v1.0/demo/servers/web-1';
export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const action = { actionName: 'notify-scale', operation: 'scaleUp' };
export const BUSY = { name: 'busy', condition: { cpu: { value: 85, operand: 'greater' } }, action };
export const BOTH = {
  name: 'both',
  condition: { mem: { value: 70, operand: 'greater equal' }, cpu: { value: 85, operand: 'greater' } },
  action,
};

export async function explain(api: ApiClient, ruleId: string): Promise<Explanation> {
  return okBody(await api.call('GET', `${SERVER}/rules/${ruleId}/explain`)) as unknown as Explanation;
}

/** Returns the explanation of the only subscription of a rule. */
export async function only(api: ApiClient, ruleId: string): Promise<ExplainedSubscription> {
  const { subscriptions } = await explain(api, ruleId);
  expect(subscriptions).to.have.length(1);
  return subscriptions[0]!;
}

export async function history(api: ApiClient, query = ''): Promise<readonly TransitionView[]> {
  return okBody(await api.call('GET', `${SERVER}/history${query}`))['history'] as unknown as TransitionView[];
}

export async function measure(
  api: ApiClient,
  ...elements: Readonly<Record<string, number>>[]
): Promise<void> {
  okBody(await api.call('POST', '/demo/servers/web-1', factsBody(...elements)));
}

/** Resolves with the last firing once its delivery stands so. */
export function standing(api: ApiClient, ruleId: string, wanted: string) {
  return eventually(
    async () => {
      const { lastFiring } = await only(api, ruleId);
      return lastFiring?.delivery === wanted ? lastFiring : undefined;
    },
    SOON_MS,
    () => `the delivery is not ${wanted}`,
  );
}
