import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ALWAYS, okBody } from '../../e2e/policy/actions.js';
import { rulesStages } from './rules-stage.js';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));

describe('mirzam rules as a process', () => {
  const { stage } = rulesStages();

  /** Starts `mirzam rules pull` for a tenant with so many rules that a pipe does not take them at once. */
  async function pulling(after = '') {
    const { api, url } = await stage();
    const body = 'x'.repeat(60_000);
    const action = { actionName: 'notify-email', email: 'ops@example.org', body };
    for (const name of ['a', 'b', 'c', 'd'])
      okBody(await api.call('POST', '/v1.0/demo/rules', { ...ALWAYS, name, action }));
    const env = { ...process.env, MIRZAM_URL: url, MIRZAM_TENANT: 'demo', MIRZAM_TOKEN: api.token };
    // What the platform gives a child as its output is a socket, which takes more at once than a pipe.
    const line = `exec "$0" "$1" rules pull${after}`;
    return spawn('sh', ['-c', line, process.execPath, MAIN], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  it('writes all of a long text to a pipe', async () => {
    const child = await pulling(' | cat');
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect(code).to.equal(0);
    expect(out)
      .to.have.length.above(240_000)
      .and.match(/\nwindowsize: 5\n[^]*subscriptions: \[\]\n$/);
  });

  it('ends without a stack if the reader of the pipe ends first', async () => {
    const child = await pulling();
    child.stdout.destroy();
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, err]).to.deep.equal([2, '']);
  });
});
