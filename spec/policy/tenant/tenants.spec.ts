import { NO_METRICS } from '../../../src/config/metrics.js';
import { expect } from 'chai';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { openPolicyBodies } from '../../../src/policy/http/bodies.js';
import { factsAccess } from '../../../src/policy/http/facts-access.js';
import { factsRoutes } from '../../../src/policy/http/facts-routes.js';
import { createTenants } from '../../../src/policy/tenant/tenants.js';
import { edges } from '../../http/edge.js';
import { cpuBody } from '../facts/facts-bodies.js';
import { policyScene, type PolicyScene } from '../policy-scene.js';
import { NOON } from '../server/driven-server.js';

describe('the tenants', () => {
  const start = edges();
  let scene: PolicyScene;

  beforeEach(async () => {
    scene = await policyScene({ fed: false });
  });
  afterEach(() => scene.close());

  it('are known by id and by name', async () => {
    expect(await scene.policy.tenants.resolve('acme')).to.equal('acme');
    expect(await scene.policy.tenants.resolve('Acme')).to.equal('acme');
    expect(await scene.policy.tenants.resolve('nobody')).to.equal(undefined);
  });

  it('that are used stay known, whatever number of others comes', async () => {
    // Stores nothing: 10,000 tenants take seconds.
    const actors = { ...scene.actors, ask: async () => undefined as never, read: async () => undefined };
    const tenants = createTenants(
      actors,
      { next: () => Promise.reject(new Error('no quiet times')) },
      () => NOON,
    );
    await tenants.seen({ id: 'acme', name: 'Acme' });
    for (let n = 0; n < 10_000; n += 1) {
      await tenants.seen({ id: `t${n}`, name: `t${n}` });
      if (n % 1_000 === 0) expect(tenants.resolve('acme')).to.equal('acme');
    }
    expect(tenants.resolve('acme'), 'without a read').to.equal('acme');
    expect(tenants.resolve('t0')).to.be.a('promise');
  });

  it('keep a name that another tenant takes too', async () => {
    await scene.policy.tenants.seen({ id: 'other', name: 'Acme' });
    expect(await scene.policy.tenants.resolve('Acme')).to.equal('acme');
  });

  it('are found by id before name, even if the name was known first', async () => {
    await scene.policy.tenants.seen({ id: 'a1', name: 'b1' });
    const other = scene.secondPolicy();
    expect(await scene.policy.tenants.resolve('b1')).to.equal('a1');
    expect(await other.tenants.resolve('b1')).to.equal('a1');
    await scene.policy.tenants.seen({ id: 'b1', name: 'Bee' });
    expect(await scene.policy.tenants.resolve('b1')).to.equal('b1');
    scene.now = NOON + 1_000;
    expect(await other.tenants.resolve('b1')).to.equal('b1');
  });

  const bodies = openPolicyBodies({ hdd: 'used', metrics: NO_METRICS, windowMax: 100 });
  after(() => bodies.close());

  it('with a token write to their own servers only, whatever else has the name in the path', async () => {
    await scene.policy.tenants.seen({ id: 'attacker', name: 'acme' });
    const authenticated: EdgeMiddleware = (ctx, next) => {
      ctx.state.principal = { tenant: { id: 'attacker', name: 'acme' }, expiresAt: Infinity };
      return next();
    };
    const routes = factsRoutes(scene.policy, {
      onEvaluated: () => undefined,
      onRefused: () => undefined,
      onIgnored: () => undefined,
      access: factsAccess({ auth: 'token', key: undefined }, authenticated, scene.policy.tenants),
      body: async () => Buffer.from(JSON.stringify(cpuBody('1'))),
      bodies,
    });
    const { url } = await start([routes]);
    const response = await fetch(`${url}/v1.0/acme/servers/web-1`, { method: 'POST' });
    expect(response.status).to.equal(200);
    expect(await scene.policy.servers.read('acme', 'web-1')).to.equal(undefined);
    expect((await scene.policy.servers.read('attacker', 'web-1'))?.factId).to.equal(1);
  });
});
