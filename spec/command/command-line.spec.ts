import { expect } from 'chai';
import { COMMANDS } from '../../src/command/commands.js';
import { runWords } from './command-runs.js';

describe('command line', () => {
  const run = (...words: readonly string[]) => runWords(words);

  it('lists every command with its summary, and the exit codes', async () => {
    for (const word of ['--help', '-h', 'help']) {
      const { code, out, err } = await run(word);
      expect({ code, err }, word).to.deep.equal({ code: 0, err: '' });
      expect(out, word).to.match(/^Usage: mirzam \[COMMAND\]/);
      for (const { name, summary } of COMMANDS) {
        expect(out, word).to.match(new RegExp(`^  ${name}\\b.* ${summary}$`, 'm'));
      }
      expect(out, word).to.match(/Exit codes: 0 done, 1 no .*, 2 wrong use/s);
    }
  });

  it('explains each command', async () => {
    for (const { name } of COMMANDS) {
      const asked = await run(name, '--help');
      expect([asked.code, asked.err], name).to.deep.equal([0, '']);
      expect(asked.out, name)
        .to.match(new RegExp(`^Usage: mirzam ${name}\\b`))
        .and.to.match(/\n\n\S.*\.$/m);
      expect(await run('help', name), name).to.deep.equal(asked);
      expect(asked.out).not.to.include('default: []');
    }
  });

  it('prints the version', async () => {
    for (const word of ['--version', '-V']) {
      expect(await run(word)).to.deep.equal({ code: 0, out: '1.2.3\n', err: '' });
    }
  });

  it('suggests what an unknown command or option could mean, and exits with 2', async () => {
    expect(await run('verfy')).to.deep.equal({
      code: 2,
      out: '',
      err: 'mirzam: unknown command \'verfy\'\n(Did you mean verify?)\nRun "mirzam --help" for what it takes.\n',
    });
    const option = await run('verify', '--transacton', '0x');
    expect([option.code, option.out]).to.deep.equal([2, '']);
    expect(option.err).to.equal(
      'mirzam verify: unknown option \'--transacton\'\n(Did you mean --transaction?)\nRun "mirzam verify --help" for what it takes.\n',
    );
    expect((await run('--prot')).err).to.match(/^mirzam: unknown option '--prot'\n/);
    expect(await run('serve', 'now')).to.include({ code: 2, out: '' });
    expect(await run('help', 'verfy')).to.deep.equal(await run('verfy'));
  });
});
