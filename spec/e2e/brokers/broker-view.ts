import { expect } from 'chai';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import type { Answer, AskedBroker } from './asked-broker.js';
import { documentedBody } from './documented.js';

/** Values of attributes by name. */
export type Values = Readonly<Record<string, number | null>>;

/** A broker with entities of one type, in one tenant and service path. */
export interface BrokerView {
  /** BROKER_URL and BROKER_API. */
  readonly settings: Readonly<Record<string, string>>;
  /** Waits for its tenant, where that takes a while to make. */
  makeTenant(): Promise<void>;
  /** Writes attributes of a server's entity, and creates it if necessary. */
  update(server: string, values: Values): Promise<void>;
  /** Deletes an attribute of a server's entity. */
  deleteAttribute(server: string, name: string): Promise<void>;
  /** The ids of its subscriptions, as the policy API shows them. */
  subscriptions(): Promise<readonly string[]>;
  /** Returns one subscription as the broker shows it. */
  subscription(id: string): Promise<Readonly<Record<string, unknown>>>;
  /** Deletes a subscription, as another client may do. */
  deleteSubscription(id: string): Promise<void>;
  /** Makes the subscription for all servers of docs/brokers.md, as its reader may do. */
  subscribeForAll(callback: string): Promise<void>;
  /** The id of a server's entity. */
  entityOf(server: string): string;
}

/** Where the entities are. */
export interface Place {
  readonly tenant?: string;
  readonly path?: string;
  readonly type?: string;
  /** JSON-LD context of the names. */
  readonly context?: string;
}

/** Looks at an NGSIv2 broker in a tenant and service path. */
export function orionIn(orion: AskedBroker, { tenant, path, type = 'host' }: Place = {}): BrokerView {
  const headers = {
    ...(tenant === undefined ? {} : { 'fiware-service': tenant }),
    ...(path === undefined ? {} : { 'fiware-servicepath': path }),
  };
  const call = (method: string, target: string, body?: object) =>
    done(orion.call(method, `/v2${target}`, body, headers));
  return {
    settings: { BROKER_URL: orion.url },
    makeTenant: async () => {},
    async update(server, values) {
      const attributes = Object.entries(values).map(([name, value]) => [name, { type: 'Number', value }]);
      const entity = { id: server, type, ...(Object.fromEntries(attributes) as object) };
      await call('POST', '/entities?options=upsert', entity);
    },
    deleteAttribute: async (server, name) => void (await call('DELETE', `/entities/${server}/attrs/${name}`)),
    async subscriptions() {
      const list = (await call('GET', '/subscriptions?limit=1000')) as { id: string }[];
      return list.map(({ id }) => id);
    },
    subscription: async (id) => (await call('GET', `/subscriptions/${id}`)) as Record<string, unknown>,
    deleteSubscription: async (id) => void (await call('DELETE', `/subscriptions/${id}`)),
    subscribeForAll: async (callback) =>
      void (await call('POST', '/subscriptions', documentedBody('/v2/subscriptions', callback))),
    entityOf: (server) => server,
  };
}

const JSON_LD = 'rel="http://www.w3.org/ns/json-ld#context"; type="application/ld+json"';
const LD_SUBSCRIPTION = 'urn:ngsi-ld:Subscription:';

/** Looks at an NGSI-LD broker in a tenant. NGSI-LD has no service paths. */
export function scorpioIn(scorpio: AskedBroker, { tenant, type = 'host', context }: Place = {}): BrokerView {
  const headers: Record<string, string> = {
    ...(tenant !== undefined && { 'ngsild-tenant': tenant }),
    ...(context !== undefined && { link: `<${context}>; ${JSON_LD}` }),
  };
  const asked = (method: string, target: string, body?: object) =>
    scorpio.call(method, `/ngsi-ld/v1${target}`, body, headers);
  const call = (method: string, target: string, body?: object) => done(asked(method, target, body));
  return {
    settings: { BROKER_URL: scorpio.url, BROKER_API: 'ngsi-ld' },
    // Its first request makes a tenant. On a busy machine Scorpio refuses some that come before all tables are there.
    async makeTenant() {
      const nobody = { id: ldEntity('nobody', type), type };
      let said = '';
      await eventually(
        async () => {
          await asked('POST', '/entityOperations/upsert', [nobody]);
          const answers = [
            await asked('DELETE', `/entities/${nobody.id}`),
            await asked('GET', '/subscriptions?limit=1'),
          ];
          said = JSON.stringify(answers);
          return answers.every(({ status }) => status < 300) || undefined;
        },
        SOON_MS,
        () => `the broker answered ${said}`,
      );
    },
    async update(server, values) {
      const attributes = Object.entries(values).map(([name, value]) => [
        name,
        value === null ? 'urn:ngsi-ld:null' : { type: 'Property', value },
      ]);
      const entity = { id: ldEntity(server, type), type, ...Object.fromEntries(attributes) };
      await call('POST', '/entityOperations/upsert?options=update', [entity]);
    },
    deleteAttribute: async (server, name) =>
      void (await call('DELETE', `/entities/${ldEntity(server, type)}/attrs/${name}`)),
    async subscriptions() {
      const list = (await call('GET', '/subscriptions?limit=1000')) as { id: string }[];
      return list.map(({ id }) => id.slice(LD_SUBSCRIPTION.length));
    },
    subscription: async (id) =>
      (await call('GET', `/subscriptions/${LD_SUBSCRIPTION}${id}`)) as Record<string, unknown>,
    deleteSubscription: async (id) => void (await call('DELETE', `/subscriptions/${LD_SUBSCRIPTION}${id}`)),
    subscribeForAll: async (callback) =>
      void (await call('POST', '/subscriptions', documentedBody('/ngsi-ld/v1/subscriptions', callback))),
    entityOf: (server) => ldEntity(server, type),
  };
}

/** The entity of a server whose id is no URI. */
export function ldEntity(server: string, type = 'host'): string {
  return `urn:ngsi-ld:${type}:${server}`;
}

async function done(asked: Promise<Answer>): Promise<unknown> {
  const { status, body } = await asked;
  expect(status, JSON.stringify(body)).to.be.within(200, 299);
  return body;
}
