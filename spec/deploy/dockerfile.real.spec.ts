import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { specTool } from '../servers/deploy-tools.js';

const DOCKERFILE = fileURLToPath(new URL('../../../Dockerfile', import.meta.url));

describe('the Dockerfile', () => {
  const hadolint = specTool('hadolint');

  it('has nothing that hadolint warns of', () => {
    const { status, stdout, stderr } = hadolint([DOCKERFILE]);
    expect(stdout + stderr).to.equal('');
    expect(status).to.equal(0);
  });
});
