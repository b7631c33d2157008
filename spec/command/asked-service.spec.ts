import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Command } from 'commander';
import {
  operatorService,
  type ServiceOptions,
  ServiceRefusal,
  tenantService,
  withOperatorOptions,
  withTenantOptions,
} from '../../src/command/asked-service.js';
import { Failure } from '../../src/command/context.js';
import { reservedPort } from '../servers/ports.js';
import { scenes } from '../e2e/scene.js';

describe('service that a command asks', () => {
  const open = scenes('describe');
  let url: string;
  let nowhere: string;
  before(async () => {
    nowhere = `http://127.0.0.1:${await reservedPort()}`;
    ({ url } = await open.service({ OPERATOR_TOKEN: 'operators-of-these-specs-have-this-token' }));
  });

  const context = (environment: Readonly<Record<string, string>>) => ({
    version: '1.2.3',
    environment: () => environment,
  });
  const demo = { MIRZAM_TENANT: 'demo', MIRZAM_USER: 'demo', MIRZAM_PASSWORD: 'demo' };
  const message = async (made: () => unknown): Promise<string> => {
    try {
      await made();
    } catch (error) {
      expect(error).to.be.instanceOf(Failure);
      return (error as Error).message;
    }
    throw new Error('it should fail');
  };
  const login = (
    environment: Readonly<Record<string, string>>,
    options: ServiceOptions = {},
    tenant?: string,
  ) => tenantService(context({ MIRZAM_URL: url, ...environment }), options, tenant);

  it('logs a user in at the service, and asks as its tenant', async () => {
    const service = await login(demo);
    expect(service.tenant).to.equal('demo');
    const made = await service.request('PUT', ['mutes'], { body: {} }).catch((error: unknown) => error);
    expect(made).to.be.instanceOf(ServiceRefusal).and.to.include({ status: 404 });
    const unknown = await service.request('GET', ['servers', 'none']).catch((error: unknown) => error);
    expect(unknown).to.include({ status: 404 });
    const { status, body } = await service.request('GET', ['servers']);
    expect([status, body]).to.deep.equal([200, { servers: [] }]);
  });

  it('has an option for each variable, whose name its help gives', () => {
    for (const command of [withTenantOptions(new Command()), withOperatorOptions(new Command())]) {
      for (const { long, description } of command.options) {
        const variable = long!.slice(2).replaceAll('-', '_').toUpperCase();
        expect(description).to.match(new RegExp(`\\(${variable}\\)$`));
      }
    }
  });

  it('prefers options to the environment', async () => {
    const options = {
      mirzamUrl: `${url}/`,
      mirzamTenant: 'demo',
      mirzamUser: 'demo',
      mirzamPassword: 'demo',
    };
    const service = await login({ ...demo, MIRZAM_URL: nowhere, MIRZAM_USER: 'other' }, options);
    expect(service.url).to.equal(url);
  });

  it('uses a token as it is, with the tenant of the file', async () => {
    const token = await fetch(`${url}/identity/v2.0/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"auth":{"tenantName":"demo","passwordCredentials":{"username":"demo","password":"demo"}}}',
    }).then(async (answer) => (await answer.json()) as { access: { token: { id: string } } });
    const service = await login({ MIRZAM_TOKEN: token.access.token.id }, {}, 'demo');
    expect((await service.request('GET', ['webhook-secret'])).status).to.equal(200);
    const operators = { OPERATOR_TOKEN: 'operators-of-these-specs-have-this-token' };
    const asOperator = await login({ ...operators, MIRZAM_TENANT: 'demo' });
    expect((await asOperator.request('GET', ['rules'])).status).to.equal(200);
    const asUser = await login({ ...demo, ...operators });
    expect((await asUser.request('GET', ['webhook-secret'])).status).to.equal(200);
    const wrong = await login({ MIRZAM_TENANT: 'demo' }, { operatorToken: 'wrong' });
    expect(await message(() => wrong.request('GET', ['rules']))).to.match(/\(401\).*check OPERATOR_TOKEN$/);
    expect(await message(() => login({ MIRZAM_TOKEN: 'x' }))).to.match(/MIRZAM_TENANT.*--mirzam-tenant/);
    expect(await message(() => login(demo, {}, 'acme'))).to.match(
      /file is of tenant acme.*MIRZAM_TENANT names demo/,
    );
  });

  it('says which setting is missing, wrong or refused', async () => {
    expect(await message(() => login({ MIRZAM_TENANT: 'demo' }))).to.match(
      /^MIRZAM_USER is not set: set MIRZAM_TOKEN, or/,
    );
    expect(await message(() => login({ MIRZAM_TENANT: 'demo', MIRZAM_USER: 'demo' }))).to.match(
      /^MIRZAM_PASSWORD is not/,
    );
    const refused = await message(() => login({ ...demo, MIRZAM_PASSWORD: 's3cret' }));
    expect(refused)
      .to.match(/^the login is refused: check/)
      .and.not.to.include('s3cret');
    expect(await message(() => login({ ...demo, MIRZAM_URL: 'ftp://x' }))).to.match(
      /^MIRZAM_URL must be the http/,
    );
    expect(await message(() => login({ ...demo, MIRZAM_AUTH_URL: 'x' }))).to.match(
      /^MIRZAM_AUTH_URL must be the http/,
    );
    expect(await message(() => login({ ...demo, MIRZAM_AUTH_URL: `${url}/nowhere` }))).to.match(
      /check MIRZAM_AUTH_URL$/,
    );
    expect(await message(() => login({ ...demo, MIRZAM_URL: nowhere }))).to.match(
      /^no login at http:\/\/127\.0\.0\.1:\d+\S*: connection refused .*see that the service runs/,
    );
    const wrong = await login({ MIRZAM_TENANT: 'demo', MIRZAM_TOKEN: 'no-such-token' });
    expect(await message(() => wrong.request('GET', ['webhook-secret']))).to.match(
      /^the service refuses GET \/v1\.0\/demo\/webhook-secret \(401\): .*; check MIRZAM_TOKEN$/,
    );
  });

  it('asks as an operator', async () => {
    const right = { MIRZAM_URL: url, OPERATOR_TOKEN: 'operators-of-these-specs-have-this-token' };
    const answer = await operatorService(context(right), {}).request('GET', ['operator', 'actors'], {
      query: { limit: '1', kind: undefined },
    });
    expect(answer.status).to.equal(200);
    const wrong = operatorService(context(right), { operatorToken: 'wrong' });
    expect(await message(() => wrong.request('GET', ['operator', 'actors']))).to.match(
      /\(401\).*check OPERATOR_TOKEN$/,
    );
    const down = operatorService(context({ MIRZAM_URL: nowhere }), {});
    expect(await message(() => down.request('GET', ['health']))).to.match(
      /^no service answers at http:\/\/127\.0\.0\.1:\d+ \(connection refused .*: start it with "mirzam", or set MIRZAM_URL$/,
    );
  });

  it('says that another server is not a service', async () => {
    const other = createServer((_, response) => response.writeHead(404).end('<html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    open.keep(other, async () => other.close());
    const { port } = other.address() as AddressInfo;
    const asked = operatorService(context({ MIRZAM_URL: `http://127.0.0.1:${port}` }), {});
    expect(await message(() => asked.request('GET', ['health']))).to.match(
      /\(404\): no reason given; check that MIRZAM_URL/,
    );
  });
});
