import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { settings } from '../../src/config/settings.js';
import { specTool } from '../servers/deploy-tools.js';
import { writtenFiles } from '../written-files.js';

const read = (name: string): string =>
  readFileSync(new URL(`../../../deploy/systemd/${name}`, import.meta.url), 'utf8');

/** Tenths of the exposure that systemd-analyze computes, from 0 to 10. */
const EXPOSURE = '15';

describe('the unit of systemd', () => {
  const analyze = specTool('systemd-analyze');
  const written = writtenFiles();

  it('has nothing that systemd-analyze warns of', async () => {
    // The program need not be installed here.
    const unit = read('mirzam.service').replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`);
    const file = await written.file('mirzam.service', unit);
    const { status, stdout, stderr } = analyze(['verify', '--man=no', file]);
    // Units of the machine may have faults of their own.
    expect((stdout + stderr).split('\n').filter((line) => line.includes('mirzam'))).to.deep.equal([]);
    expect(status).to.equal(0);
  });

  it('forbids what the service does not need', async () => {
    const file = await written.file('mirzam.service', read('mirzam.service'));
    const { status, stdout, stderr } = analyze([
      'security',
      '--offline=true',
      '--no-pager',
      `--threshold=${EXPOSURE}`,
      file,
    ]);
    expect(status, stdout + stderr).to.equal(0);
  });
});

describe('the settings beside the unit of systemd', () => {
  const lines = read('mirzam.env').matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm);
  const pairs = [...lines].map(([, name, value]) => [name!, value!] as const);

  it('are settings, and lack only the token of operators', () => {
    expect(Object.keys(settings)).to.include.members(pairs.map(([name]) => name));
    const unit = [...read('mirzam.service').matchAll(/^Environment=(\w+)=(.*)$/gm)];
    const fixed = Object.fromEntries(unit.map(([, name, value]) => [name!, value!]));
    expect(fixed).to.have.keys('NODE_ENV', 'DATA_DIR');
    const given = { ...fixed, ...Object.fromEntries(pairs) };
    expect(() => loadConfig(given)).to.throw(/^the settings cannot be used:\n- OPERATOR_TOKEN [^\n]*$/);
    expect(loadConfig({ ...given, OPERATOR_TOKEN: 'x'.repeat(32) }).production).to.equal(true);
  });
});
