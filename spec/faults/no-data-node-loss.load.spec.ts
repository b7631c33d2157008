import { expect } from 'chai';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { ALWAYS, addGeneric, cpu, okBody, subscribe } from '../e2e/policy/actions.js';
import { type Receiver, startReceiver } from '../delivery/senders/receiver.js';
import { eventually } from './stage/eventually.js';
import { nodesOnMongo } from './stage/nodes-on-mongo.js';
import { launcher, type Launcher } from './stage/service-process.js';

/** Servers of each rule. */
const SERVERS = 75;
/** `noData` of the rule whose messages are due around the kill: the shortest that is allowed, s. */
const FIRST_S = 10;
/** `noData` of the rule whose messages are all due after the kill, s. */
const LATER_S = 13;
/** Servers whose message is kept back by a mute until after the kill. The first mute ends after `untilMs`. */
const MUTED = { servers: 25, untilMs: 16_000, apartMs: 100 };
/** Longest delay of a message after it is due, ms (docs/policy-api.md, "When a rule notifies"). */
const LATEST_MS = 2_000;
/** Longest recovery of what a lost node had begun, ms. */
const TAKEN_OVER_MS = 20_000;

/** A message `noData` as it arrived. */
interface Heard {
  readonly serverId: string;
  /** Ids of the messages. One that is sent again has the same id. */
  readonly ids: Set<string>;
  /** ms since the epoch. */
  readonly due: number;
  readonly arrived: number;
}

describe('noData after the kill of a node', () => {
  let receiver: Receiver;
  let heard: Map<string, Heard>;
  beforeEach(async () => {
    heard = new Map();
    receiver = await startReceiver((response, { body }) => {
      hear(heard, body);
      response.writeHead(200).end();
    });
  });
  afterEach(() => receiver.stop());

  /** Resolves once each server has its message; kills the node when the first one has arrived. */
  async function hearAll(api: ApiClient, kill: () => Promise<unknown>): Promise<number> {
    const servers: string[] = [];
    for (const noData of [FIRST_S, LATER_S]) {
      const rule = await addGeneric(api, { ...ALWAYS, repeat: 0, noData });
      for (let i = 0; i < SERVERS; i += 1) {
        const server = `after-${noData}-s-${i}`;
        await subscribe(api, server, rule, `${receiver.origin}/hook`);
        servers.push(server);
      }
    }
    const start = Date.now();
    const muted = await addGeneric(api, { ...ALWAYS, repeat: 0, noData: FIRST_S });
    for (let i = 0; i < MUTED.servers; i += 1) {
      const until = start + MUTED.untilMs + i * MUTED.apartMs;
      const server = `muted-until-${until}-s-${i}`;
      const id = await subscribe(api, server, muted, `${receiver.origin}/hook`);
      const path = `/v1.0/demo/servers/${server}/subscription/${id}/mute`;
      okBody(await api.call('PUT', path, { until: new Date(until).toISOString() }));
      servers.push(server);
    }
    for (const server of servers) await cpu(api, server, 1);
    await eventually(
      () => (heard.size > 0 ? true : undefined),
      2 * FIRST_S * 1_000,
      () => 'no message came',
    );
    await kill();
    const killedAt = Date.now();
    await eventually(
      () => (heard.size === servers.length ? true : undefined),
      TAKEN_OVER_MS,
      () => `${heard.size} of ${servers.length} servers have a message`,
    );
    return killedAt;
  }

  describe('of two', () => {
    const nodes = nodesOnMongo();

    it('is sent by the other one within 2 s of due, once', async () => {
      const [one, other] = await Promise.all([nodes().start(), nodes().start()]);
      const killedAt = await hearAll(await apiClient(one.url), () => one.kill('SIGKILL'));
      const all = [...heard.values()];
      const after = all.filter(({ due }) => due >= killedAt);
      const delays = after.map(({ due, arrived }) => arrived - due);
      const begun = all.filter(({ due }) => due < killedAt).map(({ due, arrived }) => arrived - due);
      console.log(`      ${begun.length} due before the kill, at most ${Math.max(...begun)} ms late`);
      console.log(`      ${after.length} due after the kill, at most ${Math.max(...delays)} ms late`);
      expect(after.length).to.be.at.least(SERVERS + MUTED.servers);
      expect(delays.filter((delay) => delay > LATEST_MS || delay < 0)).to.deep.equal([]);
      expect(all.filter(({ ids }) => ids.size > 1)).to.deep.equal([]);
      await expectNotifiedOnce(await apiClient(other.url));
    });
  });

  describe('that is alone', () => {
    let services: Launcher;
    beforeEach(async () => {
      services = await launcher();
    });
    afterEach(() => services.close());

    it('is sent when it is back, once', async () => {
      const one = await services.start();
      let back = one;
      await hearAll(await apiClient(one.url), async () => {
        await one.kill('SIGKILL');
        back = await services.start();
      });
      expect([...heard.values()].filter(({ ids }) => ids.size > 1)).to.deep.equal([]);
      await expectNotifiedOnce(await apiClient(back.url));
    });
  });

  async function expectNotifiedOnce(api: ApiClient): Promise<void> {
    for (const { serverId } of heard.values()) {
      const { body } = await api.call('GET', `/v1.0/demo/servers/${serverId}/history`);
      const history = body['history'] as unknown as readonly { readonly to: string }[];
      expect(
        history.filter(({ to }) => to === 'noData'),
        serverId,
      ).to.have.length(1);
    }
  }
});

/** The receiver gets the firing of the first measurement as well. */
function hear(heard: Map<string, Heard>, body: string): void {
  const { serverId, state, since, id } = JSON.parse(body) as Readonly<Record<string, string>>;
  if (state !== 'noData') return;
  const known = heard.get(serverId!);
  if (known !== undefined) return void known.ids.add(id!);
  const [, noData, until] = /^(?:after-(\d+)|muted-until-(\d+))-s-/.exec(serverId!)!;
  const due = until === undefined ? Date.parse(since!) + Number(noData) * 1_000 : Number(until);
  heard.set(serverId!, { serverId: serverId!, ids: new Set([id!]), due, arrived: Date.now() });
}
