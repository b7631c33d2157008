import { expect } from 'chai';
import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import { arrived } from './actions.js';
import { scenes } from '../scene.js';

type Json = Record<string, unknown>;

interface Token {
  readonly id: string;
  readonly tenant: { readonly id: string };
}

const OPERATOR = 'operator@example.org';

describe('a client of the original', () => {
  const open = scenes();

  it('works unchanged, from token and rules to the received POST and mail and the clean-up', async () => {
    const { url } = await open.service();
    const receiver = await open.receiver();
    let token = '';
    const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
      const response = await fetch(url + path, {
        method,
        headers: {
          Accept: 'application/json',
          'Content-Type': 'application/json',
          ...(token === '' ? {} : { 'X-Auth-Token': token }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      expect(response.status, `${method} ${path}: ${text}`).to.equal(200);
      return (text === '' ? {} : JSON.parse(text)) as Json;
    };

    const credentials = {
      auth: { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } },
    };
    const { access } = await call('POST', '/identity/v2.0/tokens', credentials);
    const issued = (access as { token: Token }).token;
    const tenantId = issued.tenant.id;
    token = issued.id;

    const home = `/v1.0/${tenantId}`;
    expect((await call('GET', home))['windowsize']).to.equal(5);
    expect(await call('PUT', home, { windowsize: 2 })).to.deep.equal({ windowsize: 2 });

    const scale = {
      name: 'AlertCPU',
      condition: {
        cpu: { value: 98, operand: 'greater' },
        mem: { value: 95, operand: 'greater equal' },
      },
      action: { actionName: 'notify-scale', operation: 'scaleUp' },
    };
    const { ruleId } = await call('POST', `${home}/servers/web-1/rules`, scale);
    const mail = {
      name: 'AlertDisk',
      condition: { hdd: { value: 90, operand: 'greater' } },
      action: { actionName: 'notify-email', email: OPERATOR, body: 'Clean up\nsoon' },
    };
    const { ruleId: genericId } = await call('POST', `${home}/rules`, mail);
    const subscription = `${home}/servers/web-1/subscription`;
    const hook = `${receiver.origin}/hook`;
    const { subscriptionId } = await call('POST', subscription, { ruleId, url: hook });
    const { subscriptionId: mailing } = await call('POST', subscription, { ruleId: genericId, url: hook });

    const attribute = (name: string, value: string) => ({ name, value, type: 'string' });
    const facts = (cpu: string) => ({
      contextResponses: [
        {
          contextElement: {
            attributes: [
              attribute('usedMemPct', '96'),
              attribute('cpuLoadPct', cpu),
              attribute('netLoadPct', '1'),
              attribute('freeSpacePct', '5'),
            ],
            id: 'Trove:web-1',
            isPattern: 'false',
            type: 'host',
          },
          statusCode: { code: '200', reasonPhrase: 'Ok' },
        },
      ],
    });
    expect((await call('POST', `/${tenantId}/servers/web-1`, facts('98')))['id']).to.equal(1);
    expect((await call('POST', `/${tenantId}/servers/web-1`, facts('99')))['id']).to.equal(2);

    const got = await arrived(receiver, 2);
    const bodies = got.map(({ body }) => JSON.parse(body) as Json);
    const scaled = bodies.find(({ action }) => action === 'scaleUp')!;
    const { id, firedAt, ...rest } = scaled;
    expect(rest).to.deep.equal({
      action: 'scaleUp',
      serverId: 'web-1',
      factId: 2,
      tenantId,
      ruleId,
      ruleName: 'AlertCPU',
      actionName: 'notify-scale',
      subscriptionId,
      measures: { cpu: 98.5, mem: 96 },
      condition: scale.condition,
    });
    expect(Object.keys(scaled).slice(0, 2)).to.deep.equal(['action', 'serverId']);
    expect(id).to.match(/^msg_/);
    expect(Date.now() - Date.parse(firedAt as string)).to.be.within(0, 60_000);

    const mailed = bodies.find(({ action }) => action === 'notifyEmail')!;
    expect(Object.keys(mailed).slice(0, 4)).to.deep.equal(['action', 'serverId', 'email', 'description']);
    expect(mailed).to.include({ email: OPERATOR, description: 'Clean up\nsoon', subscriptionId: mailing });
    expect(mailed['measures']).to.deep.equal({ hdd: 95 });
    for (const { method, url: path, headers } of got) {
      expect([method, path, headers['content-type']]).to.deep.equal(['POST', '/hook', 'application/json']);
    }

    const inbox = await eventually(
      async () => {
        const mails = (await call('GET', '/operator/inbox')) as unknown as Json[];
        return mails.length > 0 ? mails : undefined;
      },
      SOON_MS,
      () => 'no mail came',
    );
    expect(inbox).to.have.length(1);
    expect(inbox[0]).to.include({ to: OPERATOR, subject: 'AlertDisk on web-1' });
    expect(inbox[0]!['text']).to.include('Clean up\nsoon\n').and.to.include('Mean of hdd: 95 %');
    expect(inbox[0]!['text']).to.include(`Where to look: ${url}/console/servers/${tenantId}/web-1`);

    await call('DELETE', `${subscription}/${String(subscriptionId)}`);
    await call('DELETE', `${home}/servers/web-1/rules/${String(ruleId)}`);
    await call('DELETE', `${home}/rules/${String(genericId)}`);
    expect((await call('POST', `/${tenantId}/servers/web-1`, facts('99')))['title']).to.equal('1 fact taken');
    expect(await call('GET', `${home}/servers/web-1/`)).to.deep.equal({ serverId: 'web-1', rules: [] });
  });
});
