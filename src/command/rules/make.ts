import { type AskedService, type ServiceAnswer, ServiceRefusal } from '../asked-service.js';
import { Failure } from '../context.js';
import { formOf } from '../../delivery/form/formats.js';
import { mapInBatches } from '../../system/in-batches.js';
import { AT_ONCE } from './found-rules.js';
import { pathOfList, type Step } from './steps.js';

/** An id of a rule, for trials of subscriptions to rules that are not there yet. */
const NO_RULE = '0'.repeat(24);

/** Sends the request of a step. `ruleId`: id of the rule of a subscription. */
function send(
  service: AskedService,
  step: Step,
  ruleId: string | undefined,
  dryRun: 'true' | undefined,
): Promise<ServiceAnswer> {
  const query = { dryRun };
  switch (step.is) {
    case 'resize':
      return service.request('PUT', [], { query, body: { windowsize: step.windowsize } });
    case 'add':
      return service.request('POST', pathOfList(step.list), { query, body: step.draft });
    case 'change':
      return service.request('PUT', [...pathOfList(step.list), step.ruleId], { query, body: step.change });
    case 'remove':
      return service.request('DELETE', [...pathOfList(step.list), step.ruleId]);
    case 'subscribe': {
      const { serverId, url, ...form } = step.target;
      const body = { ruleId, url, ...formOf(form) };
      return service.request('POST', ['servers', serverId, 'subscription'], { query, body });
    }
    case 'unsubscribe': {
      const { serverId, subscriptionId } = step.subscription;
      return service.request('DELETE', ['servers', serverId, 'subscription', subscriptionId]);
    }
  }
}

/**
 * Has the service check all steps without making them. Throws `Failure` with every refusal. Removals cannot be refused; and of a
 * subscription to a rule that is not there yet, only the server and the url are checked.
 */
export async function tryAll(service: AskedService, steps: readonly Step[]): Promise<void> {
  const refusals = await mapInBatches(
    steps.filter(isTried()),
    AT_ONCE,
    async (step): Promise<readonly string[]> => {
      const isNew = step.is === 'subscribe' && step.ruleId === undefined;
      try {
        await send(service, step, step.is === 'subscribe' ? (step.ruleId ?? NO_RULE) : undefined, 'true');
        return [];
      } catch (error) {
        if (!(error instanceof ServiceRefusal)) throw error;
        // The existence of the rule is checked last.
        return isNew && error.status === 404 ? [] : [refused(step, error)];
      }
    },
  );
  const all = refusals.flat();
  if (all.length > 0)
    throw new Failure(`the service refuses this, and nothing was changed:\n${all.join('\n')}`);
}

/** Returns the test whether a step is tried: of a rule that is not there yet, each url and form once. */
function isTried(): (step: Step) => boolean {
  const tried = new Set<string>();
  return (step) => {
    if (step.is === 'remove' || step.is === 'unsubscribe') return false;
    if (step.is !== 'subscribe' || step.ruleId !== undefined) return true;
    const key = JSON.stringify({ ...step.target, serverId: '' });
    if (tried.has(key)) return false;
    tried.add(key);
    return true;
  };
}

function refused({ todo }: Step, { status, detail }: ServiceRefusal): string {
  return `  ${todo}: ${detail} (${status})`;
}

/**
 * Makes the steps in their order, subscriptions of a rule at a time. Calls `onDone` after each. Throws `Failure` that says how far it
 * came: the service may refuse what it accepted in the trial, if something else was changed meanwhile.
 */
export async function makeAll(
  service: AskedService,
  steps: readonly Step[],
  onDone: (step: Step) => void,
): Promise<void> {
  const ruleIds = new Map<string, string>();
  const idOf = (list: string, name: string): string => JSON.stringify([list, name]);
  const make = async (step: Step): Promise<void> => {
    const ruleId =
      step.is === 'subscribe' ? (step.ruleId ?? ruleIds.get(idOf(step.list, step.name))) : undefined;
    try {
      const { body } = await send(service, step, ruleId, undefined);
      if (step.is === 'add')
        ruleIds.set(idOf(step.list, step.draft.name), (body as { readonly ruleId: string }).ruleId);
    } catch (error) {
      if (!isGone(step, error)) throw error;
    }
  };
  let done = 0;
  for (const together of chunksOf(steps)) {
    const results = await Promise.allSettled(together.map(make));
    for (const [i, { status }] of results.entries()) {
      if (status === 'rejected') continue;
      done += 1;
      onDone(together[i]!);
    }
    const failed = results.findIndex(({ status }) => status === 'rejected');
    if (failed !== -1)
      throw halfWay((results[failed] as PromiseRejectedResult).reason, together[failed]!, done, steps.length);
  }
}

/** Divides the steps into those that are made at a time: subscriptions do not depend on each other. */
function chunksOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const chunks: Step[][] = [];
  for (const step of steps) {
    const last = chunks.at(-1);
    const joins =
      (step.is === 'subscribe' || step.is === 'unsubscribe') &&
      last?.[0]!.is === step.is &&
      last.length < AT_ONCE;
    if (joins) last.push(step);
    else chunks.push([step]);
  }
  return chunks;
}

/** True if a step removes what is not there any more. */
function isGone(step: Step, error: unknown): boolean {
  return (
    (step.is === 'remove' || step.is === 'unsubscribe') &&
    error instanceof ServiceRefusal &&
    error.status === 404
  );
}

function halfWay(error: unknown, step: Step, done: number, all: number): Failure {
  const progress = `${done} of ${all} steps were done, as printed`;
  if (error instanceof ServiceRefusal)
    return new Failure(
      `the service refuses a step that it accepted before:\n${refused(step, error)}\n` +
        `${progress}; run it again when the cause is gone`,
      { cause: error },
    );
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(
    `${message}\n${progress}; whether this one was is unknown: ${step.todo}\nrun it again: it makes the other changes`,
    { cause: error },
  );
}
