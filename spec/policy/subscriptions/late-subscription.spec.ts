import { expect } from 'chai';
import { startActors } from '../../../src/actors/runtime.js';
import type { Actors } from '../../../src/actors/runtime.js';
import { policyKinds } from '../../../src/policy/policy.js';
import type { ServerContext, ServerEvent } from '../../../src/policy/server/server-context.js';
import { SERVER } from '../../../src/policy/server/server-kind.js';
import { TENANT } from '../../../src/policy/tenant/tenant-machine.js';
import type { TenantContext, TenantEvent } from '../../../src/policy/tenant/tenant-machine.js';
import type { Store } from '../../../src/store/port.js';
import { memoryStore } from '../../actors/stage/memory-store.js';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { freeDeliveries } from '../../delivery/queue/free-slots.js';
import { ruleOf, SETTINGS, subscriptionOf, tenantView } from '../server/driven-server.js';

describe('a removed generic rule', () => {
  let actors: Actors | undefined;
  afterEach(() => actors?.close());

  it('also ends a subscription made by a node that did not know of the removal', async () => {
    // With a shared store, a node may decide on a copy that is half a second old.
    const store: Store = memoryStore({ shared: true });
    const kinds = policyKinds({
      store,
      deliveries: freeDeliveries(() => actors!),
      settings: SETTINGS,
      broker: undefined,
      now: Date.now,
    });
    actors = startActors({ store, kinds });
    const tenant = { kind: TENANT, tenant: 'acme', name: 'tenant' };
    const server = { kind: SERVER, tenant: 'acme', name: 'web-1' };
    const rule = ruleOf();
    const tell = (event: TenantEvent): Promise<unknown> => actors!.ask(tenant, event);
    await tell({ type: 'seen', now: Date.now(), name: 'acme' });
    await tell({ type: 'addRule', now: Date.now(), rule });
    await tell({ type: 'removeRule', now: Date.now(), ruleId: rule.ruleId });
    const late: ServerEvent = {
      type: 'subscribe',
      now: Date.now(),
      subscription: subscriptionOf({ ruleId: rule.ruleId }),
      tenant: tenantView(1, [rule]),
    };
    await actors.ask(server, late);
    const subscriptions = async () =>
      (await actors!.read<ServerContext>(server))!.context.subscriptions.map(({ id }) => id);
    expect(await subscriptions()).to.deep.equal(['s1']);
    await eventually(
      async () => ((await subscriptions()).length === 0 ? true : undefined),
      SOON_MS,
      () => 'it subscribes a rule that does not exist',
    );
    await eventually(
      async () =>
        (await actors!.read<TenantContext>(tenant))!.context.outbox.length === 0 ? true : undefined,
      SOON_MS,
      () => 'the rule is ended again and again',
    );
  });
});
