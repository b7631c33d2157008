import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '../../src/config/config.js';
import { readEnvironment } from '../../src/config/environment.js';

describe('readEnvironment', () => {
  let folder: string;
  const file = () => path.join(folder, '.env');

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'mirzam-env-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is the environment of the process without a file', () => {
    expect(readEnvironment(file())).to.deep.equal({ ...process.env });
  });

  it('adds the variables of the file, with comments and quotes', () => {
    writeFileSync(file(), '# ours\nMIRZAM_SPEC_A=1\nMIRZAM_SPEC_B="two words" # why\n');
    expect(readEnvironment(file())).to.include({ MIRZAM_SPEC_A: '1', MIRZAM_SPEC_B: 'two words' });
  });

  it('prefers the environment to the file', () => {
    writeFileSync(file(), 'PATH=/nowhere\n');
    expect(readEnvironment(file())['PATH']).to.equal(process.env['PATH']);
  });

  it('does not change the environment of the process', () => {
    writeFileSync(file(), 'MIRZAM_SPEC_C=secret\n');
    readEnvironment(file());
    expect(process.env).not.to.have.property('MIRZAM_SPEC_C');
  });

  it('refuses an unreadable file, and names it', () => {
    expect(() => readEnvironment(folder)).to.throw(ConfigError, `${folder} cannot be read (EISDIR)`);
  });
});
