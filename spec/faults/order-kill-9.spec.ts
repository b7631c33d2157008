import { setTimeout as pause } from 'node:timers/promises';
import { type MongoServer, startMongo } from '../servers/mongodb.js';
import { orderLoad } from './stage/order-load.js';
import { orderedReceivers, type OrderedReceivers } from './stage/ordered-receivers.js';
import { seeded } from './stage/random.js';
import { type Launched, launcher, type Launcher } from './stage/service-process.js';

const SERVERS = 12;
const KILLS = 6;
/** Longest delay of the last message, ms: work of a lost node is taken over after 9 s. */
const ARRIVAL_MS = 40_000;

type Node = Launched & { readonly url: string };

describe('the order of messages under kill -9', function () {
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
    const load = await orderLoad(() => nodes.map(({ url }) => url), receivers!, random, SERVERS);
    const ended = load.run();
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(200 + random() * 1_000);
      const lost = kill % nodes.length;
      await nodes[lost]!.kill('SIGKILL');
      nodes[lost] = await services!.start();
    }
    load.stop();
    await ended;
    const messages = await load.audit(ARRIVAL_MS);
    console.log(`      ${messages} messages in ${receivers!.attempts()} attempts, ${KILLS} kills`);
  }
});
