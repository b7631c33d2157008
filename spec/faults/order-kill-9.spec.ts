import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { apiClient, request } from '../e2e/api-client.js';
import { type MongoServer, startMongo } from '../servers/mongodb.js';
import { factsBody } from './stage/clients.js';
import { eventually } from './stage/eventually.js';
import { orderedReceivers, type OrderedReceivers } from './stage/ordered-receivers.js';
import { oneOf, seeded } from './stage/random.js';
import { type Launched, launcher, type Launcher } from './stage/service-process.js';

const SERVERS = 12;
/** Servers whose rule sends mails too. */
const WITH_MAILS = 4;
const KILLS = 6;
/** Longest delay of the last message, ms: work of a lost node is taken over after 9 s. */
const ARRIVAL_MS = 40_000;

/** A rule that says once that it holds, and once that it is over. */
const ONCE = {
  name: 'busy',
  condition: { cpu: { value: 50, operand: 'greater' } },
  repeat: 0,
  resolve: true,
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
} as const;
const MAIL = { ...ONCE, action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Look.' } };

type Node = Launched & { readonly url: string };

describe('the order of messages under kill -9', function () {
  this.timeout(180_000);
  let mongo: MongoServer | undefined;
  let services: Launcher | undefined;
  let receivers: OrderedReceivers | undefined;

  afterEach(async () => {
    await services?.close();
    await receivers?.stop();
    await mongo?.stop();
    services = receivers = mongo = undefined;
  });

  it('holds at receivers and mailboxes that fail: embedded store', async () => {
    receivers = await orderedReceivers(seeded(41_261));
    services = await launcher({ SMTP_URL: receivers.smtpUrl, MAIL_INTERVAL_S: '0' });
    await survive([await services.start()], seeded(41_262));
  });

  it('holds at receivers and mailboxes that fail: two nodes on MongoDB', async function () {
    mongo = await startMongo();
    if (mongo === undefined) return this.skip();
    receivers = await orderedReceivers(seeded(41_263));
    const settings = { SMTP_URL: receivers.smtpUrl, MAIL_INTERVAL_S: '0', MONGODB_URL: mongo.database() };
    services = await launcher(settings);
    await survive(await Promise.all([services.start(), services.start()]), seeded(41_264));
  });

  async function survive(nodes: Node[], random: () => number): Promise<void> {
    const names = await world(nodes[0]!);
    /** By server: changes that a message reports. */
    const changes = new Map<string, number>(names.map((name) => [name, 0]));
    const load = { runs: true };
    const flip = async (server: string): Promise<void> => {
      while (load.runs) {
        const next = changes.get(server)! + 1;
        const body = factsBody(next % 2 === 1 ? 97 : 10);
        // A repetition changes nothing: whether the lost request counted need not be known.
        const status = await request(`${oneOf(random, nodes).url}/v1.0/demo/servers/${server}`, 'POST', body)
          .then((answer) => answer.status)
          .catch(() => 0);
        if (status === 200) changes.set(server, next);
        await pause(status === 200 ? 40 : 10);
      }
    };
    const clients = names.map(flip);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(200 + random() * 1_000);
      const lost = kill % nodes.length;
      await nodes[lost]!.kill('SIGKILL');
      nodes[lost] = await services!.start();
    }
    load.runs = false;
    await Promise.all(clients);
    // A change whose answer was lost may have been made.
    for (const name of names) changes.set(name, await settled(nodes[0]!, name, changes.get(name)!));
    receivers!.behave();
    const { lines, surprises } = receivers!;
    const lineCount = SERVERS + WITH_MAILS;
    const missing = (): readonly string[] =>
      [...lines].flatMap(([key, { states }]) => {
        const expected = changes.get(key.split('/')[0]!)!;
        return states.length === expected ? [] : [`${key}: ${states.length} of ${expected}`];
      });
    const isComplete = (): boolean => lines.size === lineCount && missing().length === 0;
    await eventually(
      () => (isComplete() || surprises.length > 0 ? true : undefined),
      ARRIVAL_MS,
      () => `${lines.size} of ${lineCount} lines; ${missing().join(', ')}`,
    );
    expect(surprises).to.deep.equal([]);
    for (const [key, { states }] of lines) {
      const expected = states.map((_, i) => (i % 2 === 0 ? 'firing' : 'resolved'));
      expect(states, key).to.deep.equal(expected);
    }
    const messages = [...lines.values()].reduce((sum, { states }) => sum + states.length, 0);
    console.log(`      ${messages} messages in ${receivers!.attempts()} attempts, ${KILLS} kills`);
  }

  /** Makes the servers, each with one subscription. Returns their names. */
  async function world({ url }: Node): Promise<readonly string[]> {
    const api = await apiClient(url);
    await api.call('PUT', '/v1.0/demo', { windowsize: 1 });
    const names = Array.from({ length: SERVERS }, (_, n) => `web-${n}`);
    for (const [n, name] of names.entries()) {
      const path = `/v1.0/demo/servers/${name}`;
      const { body } = await api.call('POST', `${path}/rules`, n < WITH_MAILS ? MAIL : ONCE);
      const wanted = { ruleId: body['ruleId'], url: receivers!.url };
      const made = await api.call('POST', `${path}/subscription`, wanted);
      expect(made.status, made.text).to.equal(200);
    }
    return names;
  }

  /** Sends the next change, so that it is known to be made. Returns the number of changes. */
  async function settled({ url }: Node, server: string, known: number): Promise<number> {
    const body = factsBody(known % 2 === 0 ? 97 : 10);
    await eventually(
      async () => {
        const { status } = await request(`${url}/v1.0/demo/servers/${server}`, 'POST', body);
        return status === 200 ? true : undefined;
      },
      20_000,
      () => `${server} takes no measurement`,
    );
    return known + 1;
  }
});
