import { expect } from 'chai';
import type { Finding } from '../../src/command/doctor/finding.js';
import { startProvider } from '../console/sso/openid-provider.js';
import { scenes } from '../e2e/scene.js';
import { runWords } from './command-runs.js';

describe('mirzam doctor about the OpenID provider', () => {
  const open = scenes();

  /** Examines settings with a provider that `prepare` makes answer. Returns the finding about the login. */
  async function examined(changes: Readonly<Record<string, string>>, isDown = false) {
    const provider = open.keep(await startProvider({}), (started) => started.close());
    if (!isDown) provider.serve('http://localhost:8080');
    const settings: Readonly<Record<string, string>> = {
      DATA_DIR: `${await open.folder()}/data`,
      LEDGER: 'off',
      ...provider.settings,
      ...changes,
    };
    const { code, out } = await runWords(['doctor', '--json'], settings);
    expect(out).to.not.contain(settings['OIDC_CLIENT_SECRET']);
    const findings = JSON.parse(out) as readonly Finding[];
    return { code, login: findings.find(({ part }) => part === 'login')! };
  }

  it('says which redirect URI it must allow', async () => {
    const { login } = await examined({});
    expect(login.grade).to.equal('ok');
    expect(login.text).to.contain('http://localhost:8080/console/login/callback');
  });

  it('finds a provider that does not answer', async () => {
    const { code, login } = await examined({}, true);
    expect(code).to.equal(1);
    expect(login).to.include({ grade: 'fault' });
    expect(login.text).to.match(/cannot be used: it answered 503\. Check OIDC_ISSUER/);
  });

  it('finds a secret and a client that it does not know', async () => {
    const changes: readonly Readonly<Record<string, string>>[] = [
      { OIDC_CLIENT_SECRET: 'another-secret' },
      { OIDC_CLIENT_ID: 'unknown' },
    ];
    for (const wrong of changes) {
      const { code, login } = await examined(wrong);
      expect(code).to.equal(1);
      expect(login).to.include({ grade: 'fault' });
      expect(login.text).to.contain('OIDC_CLIENT_ID and OIDC_CLIENT_SECRET');
    }
  });
});
