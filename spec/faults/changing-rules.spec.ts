import { expect } from 'chai';
import { ngsiLdStandIn } from '../broker/stand-ins/ngsi-ld.js';
import type { BrokerStandIn } from '../broker/stand-ins/stand-in.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { addGeneric, okBody } from '../e2e/policy/actions.js';
import { type RunningService, runService } from '../e2e/running-service.js';
import { mongoOfSuite } from '../servers/mongodb.js';
import { eventually, SOON_MS } from './stage/eventually.js';

const FULL = process.env['FAULTS'] === 'full';
/** Subscriptions in all, and of one rule. */
const [SUBSCRIPTIONS, OF_RULE] = FULL ? [4_000, 100] : [400, 50];
/** Time after which every subscription has its rule and its timer, ms. */
const SETTLED_MS = 2_000;
/** Requests on the way at once. */
const AT_ONCE = 32;
/** Rounds of two changes, and the servers with the rule. */
const [ROUNDS, SERVERS] = FULL ? [50, 5_000] : [4, 300];
const NOWHERE = 'http://127.0.0.1:9/nowhere';

/** What operators see of a server. */
interface ServerDetail {
  readonly outbox: readonly object[];
  readonly context: {
    readonly subscriptions: readonly { readonly id: string; readonly at: number }[];
    readonly noDataAt?: number;
  };
}

async function eachAtOnce<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

for (const kind of ['embedded', 'shared'] as const) {
  describe(`generic rules that change while they are subscribed, ${kind} store`, () => {
    let services: RunningService[] = [];
    let broker: BrokerStandIn | undefined;
    let apis: ApiClient[];
    let tenant: string;

    const mongo = kind === 'embedded' ? undefined : mongoOfSuite();
    afterEach(async () => {
      await Promise.all(services.map((service) => service.close()));
      services = [];
      await broker?.close();
      broker = undefined;
    });

    /** Starts one node on the embedded store, two on the shared one. */
    async function start(settings: Readonly<Record<string, string>>, now?: () => number): Promise<void> {
      const shared: Record<string, string> = mongo === undefined ? {} : { MONGODB_URL: mongo.database() };
      for (let node = 0; node < (mongo === undefined ? 1 : 2); node += 1)
        services.push(await runService({ ...settings, ...shared }, now));
      apis = await Promise.all(services.map(({ url }) => apiClient(url)));
      await addGeneric(apis[0]!, RULE);
      const listed = okBody(await apis[0]!.call('GET', '/operator/actors?kind=tenant'));
      tenant = (listed['actors'] as unknown as { tenant: string }[])[0]!.tenant;
    }

    const RULE = {
      name: 'busy',
      condition: { cpu: { value: 80, operand: 'greater' } },
      action: { actionName: 'notify-scale', operation: 'scaleUp' },
    };
    const nodeFor = (index: number): ApiClient => apis[index % apis.length]!;
    const detailOf = async (server: string): Promise<ServerDetail | undefined> => {
      const answer = await apis[0]!.call('GET', `/operator/actors/server/${tenant}/${server}`);
      return answer.status === 404 ? undefined : (okBody(answer) as unknown as ServerDetail);
    };
    /** Returns when each server wakes up, ms since the epoch. */
    const wakeTimes = async (): Promise<ReadonlyMap<string, number>> => {
      const found = new Map<string, number>();
      let after = '';
      do {
        const page = await apis[0]!.call('GET', `/operator/actors?kind=server&limit=1000${after}`);
        const { actors, next } = okBody(page) as unknown as {
          actors: { name: string; wakeAt: string | null }[];
          next: string | null;
        };
        for (const { name, wakeAt } of actors) found.set(name, Date.parse(wakeAt ?? ''));
        after = next === null ? '' : `&after=${encodeURIComponent(next)}`;
      } while (after !== '');
      return found;
    };
    const subscribe = async (server: string, ruleId: string, index: number): Promise<boolean> => {
      const path = `/v1.0/demo/servers/${server}/subscription`;
      const { status, text } = await nodeFor(index).call('POST', path, { ruleId, url: NOWHERE });
      expect([200, 404], text).to.contain(status);
      return status === 200;
    };

    /** Subscribes a rule on some servers, and changes it in the middle. Returns the servers whose answer was 200. */
    async function race(servers: readonly string[], change: (ruleId: string) => Promise<void>) {
      const ruleId = await addGeneric(apis[0]!, RULE);
      const known = await Promise.all(
        apis.map((api) =>
          eventually(
            async () =>
              (await api.call('GET', `/v1.0/demo/rules/${ruleId}`)).status === 200 ? true : undefined,
            SETTLED_MS,
            () => 'a node does not know the rule',
          ),
        ),
      );
      expect(known).not.to.contain(undefined);
      const answered: string[] = [];
      let changed: Promise<void> | undefined;
      await eachAtOnce([...servers.entries()], async ([index, server]) => {
        if (await subscribe(server, ruleId, index)) answered.push(server);
        if (answered.length >= servers.length / 5) changed ??= change(ruleId);
      });
      await changed;
      return answered;
    }

    const withinTwoSeconds = (fault: () => Promise<string | undefined>): Promise<true> => {
      let last: string | undefined;
      return eventually(
        async () => ((last = await fault()) === undefined ? true : undefined),
        SETTLED_MS,
        () => last!,
      );
    };

    /** Returns how many servers have what they should not have; undefined if none has. */
    async function faulty(
      servers: readonly string[],
      what: string,
      isFaulty: (detail: ServerDetail | undefined) => boolean,
    ): Promise<string | undefined> {
      const found: string[] = [];
      await eachAtOnce(servers, async (server) => {
        if (isFaulty(await detailOf(server))) found.push(server);
      });
      return found.length === 0
        ? undefined
        : `${found.length} of ${servers.length} servers ${what}: ${found[0]}`;
    }

    for (const fed of [false, true]) {
      it(`leave none of them without its rule or its timer, ${fed ? 'with a broker' : 'without a broker'}`, async () => {
        broker = fed ? await ngsiLdStandIn() : undefined;
        await start(broker === undefined ? {} : { BROKER_URL: broker.url, BROKER_API: 'ngsi-ld' });
        let told = 0;
        for (let first = 0; first < SUBSCRIPTIONS; first += 2 * OF_RULE) {
          const names = Array.from({ length: 2 * OF_RULE }, (_, i) => `urn:host:${first + i}`);
          const [toEnd, toChange] = [names.slice(0, OF_RULE), names.slice(OF_RULE)];
          told += (
            await race(toEnd, async (ruleId) => {
              okBody(await apis[0]!.call('DELETE', `/v1.0/demo/rules/${ruleId}`));
            })
          ).length;
          await withinTwoSeconds(() =>
            faulty(
              toEnd,
              'have a subscription without a rule',
              (detail) => (detail?.context.subscriptions.length ?? 0) > 0,
            ),
          );
          const ended = new Set(toEnd);
          await withinTwoSeconds(async () => {
            const left = broker?.subscriptions().filter(({ entityId }) => ended.has(entityId)) ?? [];
            return left.length === 0 ? undefined : `${left.length} are left at the broker`;
          });
          const timed = await race(toChange, async (ruleId) => {
            okBody(await apis[0]!.call('PUT', `/v1.0/demo/rules/${ruleId}`, { noData: 3_600 }));
          });
          expect(timed).to.have.length(OF_RULE);
          await withinTwoSeconds(() =>
            faulty(timed, 'have no timer', (detail) => {
              const [one] = detail!.context.subscriptions;
              return detail!.context.noDataAt !== one!.at + 3_600_000;
            }),
          );
        }
        expect(told).to.be.above(0);
      });
    }

    it('reach all servers with the second of two changes in one millisecond', async () => {
      // A clock in steps: both changes come at one time.
      await start({}, () => Math.floor(Date.now() / 50) * 50);
      const ruleId = await addGeneric(apis[0]!, RULE);
      const servers = Array.from({ length: SERVERS }, (_, i) => `host-${i}`);
      await eachAtOnce([...servers.entries()], async ([, server]) => {
        expect(await subscribe(server, ruleId, 0)).to.equal(true);
      });
      const made = new Map<string, number>();
      await eachAtOnce(servers, async (server) => {
        made.set(server, (await detailOf(server))!.context.subscriptions[0]!.at);
      });
      const path = `/v1.0/demo/rules/${ruleId}`;
      for (let round = 1; round <= ROUNDS; round += 1) {
        const values = [10_000 + 2 * round, 10_001 + 2 * round];
        const changes = values.map((noData) => apis[0]!.call('PUT', path, { noData }));
        for (const answer of await Promise.all(changes)) okBody(answer);
        const second = Number(okBody(await apis[0]!.call('GET', path))['noData']);
        expect(values).to.contain(second);
        await eventually(
          async () => {
            const view = okBody(await apis[0]!.call('GET', `/operator/actors/tenant/${tenant}/tenant`));
            return (view['outbox'] as unknown as unknown[]).length === 0 ? true : undefined;
          },
          SOON_MS,
          () => 'the change is told for ever',
        );
        const awake = await wakeTimes();
        const lacking = servers.filter((server) => awake.get(server) !== made.get(server)! + second * 1_000);
        expect(lacking.length, `servers without the second change of round ${round}`).to.equal(0);
      }
    });
  });
}
