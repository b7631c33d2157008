import { expect } from 'chai';
import { apiClient, type ApiClient } from '../e2e/api-client.js';
import { ALWAYS, okBody } from '../e2e/policy/actions.js';
import { auditPage } from '../e2e/policy/audit/changes.js';
import { mongoOfSuite } from '../servers/mongodb.js';
import { eventually } from './stage/eventually.js';
import { seeded } from './stage/random.js';
import { launcher, type Launcher } from './stage/service-process.js';

const KILLS = 10;
/** Least changes that are answered before a kill. */
const EACH = 4;
/** A node takes over what another one left open, ms. */
const SWEPT_MS = 30_000;
const SERVERS = ['web-1', 'web-2', 'web-3', 'web-4'];

for (const kind of ['embedded', 'shared'] as const) {
  describe(`kill -9 between a change and its entry in the audit, ${kind} store`, () => {
    let services: Launcher | undefined;

    const mongo = kind === 'embedded' ? undefined : mongoOfSuite();
    afterEach(async () => {
      await services?.close();
      services = undefined;
    });

    it('has each answered change once, and no change that is not there', async () => {
      const random = seeded(20_267);
      services = await launcher(mongo === undefined ? {} : { MONGODB_URL: mongo.database() });
      const answered: string[] = [];
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const service = await services.start();
        const api = await apiClient(service.url);
        const run = { on: true };
        const clients = SERVERS.map((server) => change(api, server, run, answered));
        // A moment after an answer.
        const goal = answered.length + EACH + Math.floor(random() * SERVERS.length);
        await eventually(
          () => answered.length >= goal || undefined,
          SWEPT_MS,
          () => 'no change is answered',
        );
        run.on = false;
        await service.kill('SIGKILL');
        await Promise.all(clients);
      }
      const api = await apiClient((await services.start()).url);
      expect(answered.length).to.be.least(KILLS * EACH);
      const audited = await eventually(
        async () => {
          const all = await targets(api);
          return answered.every((target) => all.includes(target)) ? all : undefined;
        },
        SWEPT_MS,
        async () => {
          const all = new Set(await targets(api));
          return `not in the audit: ${answered.filter((target) => !all.has(target)).join()}`;
        },
      );
      expect(new Set(audited).size, 'twice in the audit').to.equal(audited.length);
      const there = new Set<string>();
      for (const server of SERVERS) {
        const { rules } = okBody(await api.call('GET', `/v1.0/demo/servers/${server}`)) as unknown as {
          readonly rules: readonly { readonly ruleId: string }[];
        };
        for (const { ruleId } of rules) there.add(`servers/${server}/rules/${ruleId}`);
      }
      expect(audited.filter((target) => !there.has(target))).to.deep.equal([]);
    });
  });
}

/** Makes rules on a server until one is not answered. */
async function change(
  api: ApiClient,
  server: string,
  run: { readonly on: boolean },
  answered: string[],
): Promise<void> {
  while (run.on) {
    const made = await api.call('POST', `/v1.0/demo/servers/${server}/rules`, ALWAYS).catch(() => undefined);
    if (made === undefined || made.status !== 200) return;
    answered.push(`servers/${server}/rules/${String(made.body['ruleId'])}`);
  }
}

async function targets(api: ApiClient): Promise<readonly string[]> {
  const all: string[] = [];
  for (let before = ''; ;) {
    const { audit, next } = await auditPage(api, `/v1.0/demo/audit?limit=1000${before}`);
    all.push(...audit.map(({ target }) => target));
    if (next === null) return all;
    before = `&before=${next}`;
  }
}
