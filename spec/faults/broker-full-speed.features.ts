import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { embeddedTenantId } from '../../src/identity/embedded.js';
import { reservedPort } from '../servers/ports.js';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { askedBroker } from '../e2e/brokers/asked-broker.js';
import { orionIn, scorpioIn } from '../e2e/brokers/broker-view.js';
import { countedBy } from '../e2e/brokers/counted.js';
import { addGeneric, okBody, subscribe } from '../e2e/policy/actions.js';
import type { CallbackHost } from '../servers/broker.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { type Entity, type NotificationRelay, relayNotifications } from './stage/notification-relay.js';
import { launcher, type Launcher } from './stage/service-process.js';
import { tally, type Tally, type Update, writeMeasurements } from './stage/written-measurements.js';

/** Length of the writing, s. */
const SECONDS = Number(process.env['BROKER_SPEED_S'] ?? 3);
const WINDOW = 2_000;
const SERVERS = Array.from({ length: 64 }, (_, i) => `web-${i + 1}`);
const METRIC_OF = { cpuLoadPct: 'cpu', usedMemPct: 'mem', netLoadPct: 'net' } as const;
const ATTRIBUTES = Object.keys(METRIC_OF) as (keyof typeof METRIC_OF)[];
const NEVER = {
  name: 'never',
  condition: { cpu: { value: 100, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
} as const;

/** Differences between the APIs. */
interface Kind {
  readonly lookAt: typeof orionIn | typeof scorpioIn;
  readonly entityOf: (server: string) => string;
  readonly update: (tenant: string, entity: string, attribute: string, value: number) => Update;
  /** Measurements in a notification: attribute, value, and what makes a measurement different from another one. */
  readonly measured: (entity: Entity, place: number) => readonly (readonly [string, number, string])[];
}

/** A broker of the behaviour, real or a stand-in. */
export interface FullSpeedCase {
  readonly api: 'ngsiv2' | 'ngsi-ld';
  /** Returns the broker's address; undefined if there is none. */
  readonly start: () => Promise<string | undefined>;
  readonly stop?: () => Promise<void>;
  /** Where the broker reaches this machine. */
  readonly host?: CallbackHost;
}

type Attribute = { readonly value: number; readonly modifiedAt: string } | undefined;

const attributesOf = (entity: Entity): readonly (readonly [string, NonNullable<Attribute>])[] =>
  ATTRIBUTES.flatMap((name) => {
    const attribute = entity[name] as Attribute;
    return attribute === undefined ? [] : [[name, attribute] as const];
  });

const KINDS: Readonly<Record<FullSpeedCase['api'], Kind>> = {
  ngsiv2: {
    lookAt: orionIn,
    entityOf: (server) => server,
    update: (tenant, id, attribute, value) => ({
      path: '/v2/entities?options=upsert',
      body: { id, type: 'host', [attribute]: { type: 'Number', value } },
      headers: { 'fiware-service': tenant, 'fiware-servicepath': '/' },
    }),
    measured: (entity, place) =>
      attributesOf(entity).map(([name, { value }]) => [name, value, String(place)]),
  },
  'ngsi-ld': {
    lookAt: scorpioIn,
    entityOf: (server) => `urn:ngsi-ld:host:${server}`,
    update: (tenant, id, attribute, value) => ({
      path: '/ngsi-ld/v1/entityOperations/upsert?options=update',
      body: [{ id, type: 'host', [attribute]: { type: 'Property', value } }],
      headers: { 'ngsild-tenant': tenant },
    }),
    measured: (entity) =>
      attributesOf(entity).map(([name, { value, modifiedAt }]) => [name, value, modifiedAt]),
  },
};

/** What the service promises with a broker that sends measurements as fast as it can. */
export function fullSpeed({ api: name, start: startBroker, stop, host }: FullSpeedCase): void {
  const kind = KINDS[name];

  describe('at its full speed', function () {
    this.timeout(600_000 + 5_000 * SECONDS);
    let broker: string | undefined;
    let tenant: string;
    let relay: NotificationRelay;
    let services: Launcher;
    let api: ApiClient;

    beforeEach(async function () {
      broker = await startBroker();
      if (broker === undefined) return this.skip();
      tenant = `spec_${randomUUID().slice(0, 8)}`;
      await kind.lookAt(askedBroker(broker), { tenant }).makeTenant();
      const port = await reservedPort();
      relay = await relayNotifications(port, host);
      services = await launcher({
        PORT: String(port),
        PUBLIC_URL: relay.url,
        BROKER_URL: broker,
        BROKER_API: name,
        BROKER_TENANT: tenant,
        WINDOW_MAX: String(WINDOW),
        WINDOW_GAP_S: '0',
      });
      return undefined;
    });
    afterEach(async () => {
      if (broker === undefined) return;
      await services.close();
      await relay.close();
      await stop?.();
    });

    const start = async () => {
      const service = await services.start();
      api = await apiClient(service.url);
      return service;
    };

    const watchAll = async (): Promise<void> => {
      okBody(await api.call('PUT', '/v1.0/demo', { windowsize: WINDOW }));
      const ruleId = await addGeneric(api, NEVER);
      for (const server of SERVERS) await subscribe(api, server, ruleId, 'http://127.0.0.1:9/');
    };

    const write = (): Promise<Tally> =>
      writeMeasurements({
        url: broker!,
        entities: SERVERS.map(kind.entityOf),
        attributes: ATTRIBUTES,
        writers: 8,
        seconds: SECONDS,
        notified: () => relay.sent.length,
        update: (...written) => kind.update(tenant, ...written),
      });

    /** Waits until the broker has sent a notification for every update and got an answer, or a cut connection. */
    const untilSent = async (updates: number): Promise<void> => {
      await eventually(
        () => (relay.sent.length >= updates ? true : undefined),
        SOON_MS + 2_000 * SECONDS,
        () => `the broker sent ${relay.sent.length} notifications for ${updates} updates`,
      );
    };

    const counted = async (): Promise<Tally> => {
      const counts: Tally = new Map();
      for (const server of SERVERS) {
        const { values } = await countedBy(api, server, embeddedTenantId('demo'));
        for (const attribute of ATTRIBUTES) {
          for (const value of values[METRIC_OF[attribute]] ?? []) {
            tally(counts, kind.entityOf(server), attribute, value);
          }
        }
      }
      return counts;
    };

    /** Counts each measurement in notifications once, however many of them have it. */
    const measuredIn = (notified: Iterable<Entity>): Tally => {
      const seen = new Set<string>();
      const counts: Tally = new Map();
      let place = 0;
      for (const entity of notified) {
        for (const [attribute, value, mark] of kind.measured(entity, (place += 1))) {
          const key = `${entity.id} ${attribute} ${mark}`;
          if (seen.has(key)) continue;
          seen.add(key);
          tally(counts, entity.id, attribute, value);
        }
      }
      return counts;
    };

    it('has every measurement counted once, and none twice', async () => {
      await start();
      await watchAll();
      const written = await write();
      const updates = total(written);
      await untilSent(updates);
      const there = await eventually(
        async () => {
          const counts = await counted();
          return total(counts) >= updates ? counts : undefined;
        },
        SOON_MS,
        async () => `${total(await counted())} of ${updates} measurements were counted`,
      );
      report(name, { written: updates, perSecond: Math.round(updates / SECONDS), counted: total(there) });
      expect(differing(written, there)).to.deep.equal([]);
    });

    it('misses after a kill -9 only notifications that were not acknowledged', async () => {
      const first = await start();
      await watchAll();
      const writing = write();
      const half = (): true | undefined =>
        relay.acknowledged.size >= 500 * (SECONDS / 6) ? true : undefined;
      await eventually(half, SOON_MS, () => 'the broker sent too little');
      await first.kill('SIGKILL');
      await start();
      const written = await writing;
      await untilSent(total(written));
      const acknowledged = measuredIn(relay.acknowledged);
      const isTold = async (): Promise<Tally | undefined> => {
        const counts = await counted();
        return [...acknowledged].every(([key, count]) => (counts.get(key) ?? 0) >= count)
          ? counts
          : undefined;
      };
      const there = await eventually(isTold, SOON_MS, async () => {
        const counts = await counted();
        const missing = [...acknowledged].filter(([key, count]) => (counts.get(key) ?? 0) < count);
        return `missing: ${JSON.stringify(missing.slice(0, 5))}, and ${missing.length} in all`;
      });
      report(name, {
        written: total(written),
        acknowledged: total(acknowledged),
        counted: total(there),
        lost: total(written) - total(there),
      });
      for (const [key, count] of there) expect(count, key).to.be.at.most(written.get(key) ?? 0);
      expect(relay.sent.length, 'no notification was lost').to.be.above(relay.acknowledged.size);
    });
  });
}

function total(counts: Tally): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function differing(one: Tally, other: Tally): readonly string[] {
  const keys = new Set([...one.keys(), ...other.keys()]);
  return [...keys].filter((key) => one.get(key) !== other.get(key));
}

/** Prints figures of a long run. */
function report(name: string, figures: Readonly<Record<string, number>>): void {
  if (process.env['BROKER_SPEED_S'] !== undefined) console.log(name, JSON.stringify(figures));
}
