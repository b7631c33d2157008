import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { type Shell, SHELLS } from '../../src/command/completion-scripts.js';
import { runWords } from './command-runs.js';
import { writtenFiles } from '../written-files.js';

/** What a shell runs after the script to print the completions of a line, whose last word is not finished. */
const COMPLETE: Readonly<Record<Shell, (words: readonly string[]) => string>> = {
  bash: (words) =>
    `COMP_WORDS=(${words.map(quoted).join(' ')}); COMP_CWORD=${words.length - 1}; _mirzam; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The functions of its completion system that the script calls, in the form of lists.
  zsh: (words) =>
    `_files() { print -l -- *(N) }; _describe() { local name=\${@[-1]}; print -l -- \${\${(P)name}%%:*} }; ` +
    `words=(${words.map(quoted).join(' ')}); CURRENT=${words.length}; _mirzam`,
  fish: (words) => `complete -C ${quoted(words.join(' '))} | string replace -r '\\t.*' ''`,
};

describe('mirzam completion', () => {
  const written = writtenFiles();

  for (const shell of SHELLS) {
    describe(`of ${shell}`, () => {
      /** BASH_SHELL, ZSH_SHELL and FISH_SHELL name other binaries. */
      const binary = process.env[`${shell.toUpperCase()}_SHELL`] ?? shell;
      before(function () {
        if (spawnSync(binary, ['--version']).status === 0) return;
        const missing = `${binary} is not there; install it, or name it in ${shell.toUpperCase()}_SHELL`;
        if (process.env['CI'] === 'true') throw new Error(missing);
        console.log(`Skipping specs: ${missing}`);
        this.skip();
      });

      /** Returns the completions of a line in a folder with one file. */
      async function completed(...words: readonly string[]): Promise<readonly string[]> {
        const { code, out, err } = await runWords(['completion', shell]);
        expect([code, err]).to.deep.equal([0, '']);
        await written.file('a-file.json', '{}');
        const options = { bash: ['--norc', '--noprofile'], zsh: ['-f'], fish: ['--no-config'] }[shell];
        const { stdout, stderr } = spawnSync(
          binary,
          [...options, '-c', `${out}\n${COMPLETE[shell](words)}`],
          {
            cwd: written.pathOf('.'),
            encoding: 'utf8',
          },
        );
        expect(stderr).to.equal('');
        const last = words.at(-1)!;
        return stdout.split('\n').filter((word) => word !== '' && word.startsWith(last));
      }

      it('completes commands, options of a command, files and words of an argument', async () => {
        expect(await completed('mirzam', 've')).to.deep.equal(['verify']);
        expect(await completed('mirzam', '')).to.include.members(['serve', 'doctor', 'deploy', 'export']);
        expect(await completed('mirzam', 'verify', '--tr')).to.deep.equal(['--transaction']);
        expect(await completed('mirzam', 'backtest', '--ru')).to.deep.equal(['--rule']);
        expect(await completed('mirzam', 'backtest', '--tr')).to.deep.equal([]);
        expect(await completed('mirzam', 'backtest', '--rule', 'a-')).to.deep.equal(['a-file.json']);
        expect(await completed('mirzam', 'verify', '--rpc', 'a-')).to.deep.equal([]);
        expect(await completed('mirzam', 'rules', 'di')).to.deep.equal(['diff']);
        expect(await completed('mirzam', 'rules', 'apply', '--pr')).to.deep.equal(['--prune']);
        expect(await completed('mirzam', 'completion', 'z')).to.deep.equal(['zsh']);
      });
    });
  }

  it('names the shells for another one, and exits with 2', async () => {
    const { code, err } = await runWords(['completion', 'tcsh']);
    expect(code).to.equal(2);
    expect(err).to.match(/^mirzam completion: .*'tcsh'.*bash, zsh, fish/);
  });
});

function quoted(text: string): string {
  return `'${text}'`;
}
