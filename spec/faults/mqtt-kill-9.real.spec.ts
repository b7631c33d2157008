import { expect } from 'chai';
import { apiClient, type ApiClient, request } from '../e2e/api-client.js';
import { okBody } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { startMongo } from '../servers/mongodb.js';
import { type Mosquitto, publisher, specMosquitto } from '../servers/mosquitto.js';
import { eventually, SOON_MS } from './stage/eventually.js';
import { type Launched, launcher } from './stage/service-process.js';

const SERVERS = Array.from({ length: 40 }, (_, i) => `web-${i}`);
const START = Date.now();

type Node = Launched & { readonly url: string };

describe('messages of MQTT over kill -9', () => {
  const open = scenes();
  const start = specMosquitto();

  /** Publishes a number of messages of each server, in order. Resolves once the broker has acknowledged all. */
  async function publishing(mosquitto: Mosquitto, valuesOf: (index: number) => object) {
    const device = open.keep(await publisher(mosquitto.url()), (one) => one.close());
    let next = 0;
    return async (each: number): Promise<void> => {
      const published: Promise<void>[] = [];
      for (let i = 0; i < each; i += 1, next += 1) {
        const message = { ...valuesOf(next), at: START + next };
        for (const server of SERVERS) published.push(device.publish(`mirzam/demo/${server}`, message));
      }
      await Promise.all(published);
    };
  }

  /** Returns the number of facts of all servers. Fails if a server has more than `most`. */
  async function counted(api: ApiClient, most: number): Promise<number> {
    const { servers } = okBody(await api.call('GET', '/operator/servers?limit=1000')) as unknown as {
      servers: readonly { serverId: string; lastFact: { id: number } | null }[];
    };
    const facts = servers.map(({ lastFact }) => lastFact?.id ?? 0);
    for (const [i, fact] of facts.entries()) expect(fact, servers[i]!.serverId).to.be.at.most(most);
    return facts.reduce((sum, fact) => sum + fact, 0);
  }

  const countedIs = (
    api: ApiClient,
    each: number,
    isEnough = (count: number) => count === each * SERVERS.length,
  ) =>
    eventually(
      async () => (isEnough(await counted(api, each)) ? true : undefined),
      SOON_MS,
      async () => `${await counted(api, each)} of ${each * SERVERS.length} messages are counted`,
    );

  /** Returns a client of a node that knows the tenant and receives messages. */
  async function ready(node: Node): Promise<ApiClient> {
    const api = await apiClient(node.url);
    okBody(await api.call('GET', '/v1.0/demo'));
    const connected = () => (node.output().includes('MQTT: messages come from') ? true : undefined);
    await eventually(connected, SOON_MS, () => node.output());
    return api;
  }

  async function takenBy({ url }: Node): Promise<number> {
    const { text } = await request(`${url}/metrics`, 'GET');
    return Number(/^mirzam_mqtt_messages_total\{result="taken"\} (\d+)$/m.exec(text)?.[1]);
  }

  it('are each counted once that the broker took', async () => {
    const mosquitto = open.keep(await start(), (one) => one.close());
    const services = open.keep(await launcher({ MQTT_URL: mosquitto.url(), MQTT_CLIENT_ID: 'one' }), (one) =>
      one.close(),
    );
    const publish = await publishing(mosquitto, (index) => ({ cpu: index % 100 }));
    let service = await services.start();
    let api = await ready(service);
    const each = 50;
    let published = 0;
    for (let kill = 0; kill < 3; kill += 1) {
      const all = publish(each);
      const before = published * SERVERS.length;
      published += each;
      await countedIs(api, published, (count) => count > before);
      await service.kill('SIGKILL');
      await all;
      service = await services.start();
      api = await ready(service);
    }
    await countedIs(api, published);
  });

  it('are shared by nodes, and each counted once although a node and the database are killed', async function () {
    const mongo = open.keep(await startMongo(), async (one) => one?.stop());
    if (mongo?.kill === undefined) return this.skip();
    const mosquitto = open.keep(await start(), (one) => one.close());
    const settings = { MQTT_URL: mosquitto.url(), MONGODB_URL: mongo.database() };
    const services = open.keep(await launcher(settings), (one) => one.close());
    const publish = await publishing(mosquitto, (index) => ({ cpu: index % 100 }));
    const startNode = (name: string): Promise<Node> => services.start({ MQTT_CLIENT_ID: name });
    let nodes = [await startNode('one'), await startNode('two')];
    const [api] = await Promise.all(nodes.map(ready));
    await publish(5);
    await countedIs(api!, 5);
    // A message counts as taken a moment after its fact.
    let taken: readonly number[] = [];
    await eventually(
      async () => {
        taken = await Promise.all(nodes.map(takenBy));
        return taken[0]! + taken[1]! >= 5 * SERVERS.length ? true : undefined;
      },
      SOON_MS,
      () => `${taken.join()} messages of the nodes`,
    );
    for (const one of taken) expect(one, 'messages of a node').to.be.above(0);
    expect(taken[0]! + taken[1]!, 'messages of both nodes').to.equal(5 * SERVERS.length);

    const all = publish(25);
    await countedIs(api!, 30, (count) => count > 5 * SERVERS.length);
    await nodes[1]!.kill('SIGKILL');
    await all;
    nodes = [nodes[0]!, await startNode('two')];
    const [other] = await Promise.all(nodes.map(ready));
    await countedIs(other!, 30);

    await mongo.kill();
    await publish(10);
    for (const node of nodes) await node.kill('SIGKILL');
    await mongo.restart!();
    nodes = [await startNode('one'), await startNode('two')];
    const [again] = await Promise.all(nodes.map(ready));
    await countedIs(again!, 40);
  });
});
