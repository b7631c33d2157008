import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import type { MutedView, QuietPreview, QuietTimesView } from '../../../src/console/shapes.js';
import { quietViewRoutes } from '../../../src/console/views/quiet-routes.js';
import { viewPermits } from '../../../src/console/views/view-permits.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import { apiClient, type ApiClient } from '../../e2e/api-client.js';
import { okBody } from '../../e2e/policy/actions.js';
import { scenes } from '../../e2e/scene.js';
import { edges } from '../../http/edge.js';

const USERS = 'demo:demo:demo,acme:ann:secret';
const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};
const OPERATOR = { 'x-operator-token': 'let-the-operators-in', 'x-auth-token': '' };

describe('the console’s view of quiet times and mutes', () => {
  const open = scenes();
  const edge = edges();

  /** Two tenants, each with a quiet time and a muted subscription. */
  async function stage() {
    const service = await open.service({
      IDENTITY_USERS: USERS,
      OPERATOR_TOKEN: OPERATOR['x-operator-token'],
    });
    const other = await apiClient(service.url, 'acme', 'ann', 'secret');
    for (const [api, tenant] of [
      [service.api, 'demo'],
      [other, 'acme'],
    ] as const) {
      const server = `/v1.0/${tenant}/servers/web-1`;
      const { ruleId } = okBody(await api.call('POST', `${server}/rules`, BUSY));
      const wanted = { ruleId, url: 'http://127.0.0.1:9/' };
      const { subscriptionId } = okBody(await api.call('POST', `${server}/subscription`, wanted));
      okBody(await api.call('PUT', `${server}/subscription/${String(subscriptionId)}/mute`, { for: 60 }));
      const quiet = { servers: ['db-*'], duration: 60, comment: tenant };
      okBody(await api.call('PUT', `/v1.0/${tenant}/quiet/q`, quiet));
    }
    return { ...service, other };
  }

  const read = async <T>(api: ApiClient, path: string, headers = {}): Promise<T> =>
    okBody(await api.call('GET', `/console/api/${path}`, undefined, headers)) as unknown as T;

  it('shows a tenant what is its own, whatever it asks, and an operator all', async () => {
    const { api, other } = await stage();
    const comments = async (...asked: Parameters<typeof read>) =>
      (await read<QuietTimesView>(...asked)).quiet.map(({ comment }) => comment);
    const muters = async (...asked: Parameters<typeof read>) =>
      (await read<MutedView>(...asked)).muted.map(({ by }) => by);
    expect(await comments(api, 'quiet?tenant=acme')).to.deep.equal(['demo']);
    expect(await comments(other, 'quiet')).to.deep.equal(['acme']);
    expect(await comments(api, 'quiet', OPERATOR)).to.have.members(['demo', 'acme']);
    expect(await comments(api, 'quiet?tenant=acme', OPERATOR)).to.deep.equal(['acme']);
    expect(await muters(api, 'muted?tenant=acme')).to.deep.equal(['demo']);
    expect(await muters(other, 'muted')).to.deep.equal(['ann']);
    expect(await muters(api, 'muted', OPERATOR)).to.have.members(['demo', 'ann']);
    expect((await api.call('GET', '/console/api/quiet?tenant=nobody', undefined, OPERATOR)).status).to.equal(
      404,
    );
  });

  it('previews how many of the tenant’s servers a quiet time would mute, and when', async () => {
    const { api } = await stage();
    const asked =
      'quiet/preview?servers=web-*,db-1&start=2099-01-01T22:00:00&duration=3600&timezone=Europe/Berlin';
    expect(await read<QuietPreview>(api, asked)).to.deep.equal({
      fitting: 1,
      first: ['web-1'],
      servers: 1,
      isWhole: true,
      next: [{ from: '2099-01-01T21:00:00.000Z', to: '2099-01-01T22:00:00.000Z' }],
    });
    const wrong = await api.call('GET', '/console/api/quiet/preview?servers=&duration=1');
    expect(wrong.status).to.equal(400);
    expect(wrong.body.error!.message).to.match(/^servers: .*; duration: /);
    const everyone = await api.call(
      'GET',
      '/console/api/quiet/preview?servers=*&duration=60',
      undefined,
      OPERATOR,
    );
    expect(everyone.body.error!.message).to.match(/^tenant: is required/);
  });

  it('lets other viewers read while the rule of a preview is computed', async () => {
    const events = new EventEmitter();
    const asked = once(events, 'asked');
    const preview = async (): Promise<never[]> => {
      events.emit('asked');
      await once(events, 'computed');
      return [];
    };
    const viewer: EdgeMiddleware = (ctx, next) => {
      ctx.state.viewer = { kind: 'tenant', tenantId: 'a', tenantName: 'a' };
      return next();
    };
    const empty = () => Promise.resolve({ items: [], more: false });
    const options = {
      store: { list: empty, outline: empty },
      policy: { quietTimes: { preview } },
      now: Date.now,
    };
    const routes = quietViewRoutes({ ...options, viewer, permit: viewPermits(1) } as never);
    const { url } = await edge([routes]);
    const previewed = fetch(`${url}/console/api/quiet/preview?servers=*&duration=60`);
    await asked;
    expect((await fetch(`${url}/console/api/quiet`)).status).to.equal(200);
    events.emit('computed');
    expect(await (await previewed).json()).to.deep.include({ fitting: 0, next: [] });
  });
});
