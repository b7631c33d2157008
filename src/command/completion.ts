import { Argument, Command } from 'commander';
import type { CommandBuilder } from './context.js';
import { completionScript, type Shell, SHELLS } from './completion-scripts.js';

const MORE = `
bash: eval "$(mirzam completion bash)" in ~/.bashrc
zsh:  mirzam completion zsh > "\${fpath[1]}/_mirzam"
fish: mirzam completion fish > ~/.config/fish/completions/mirzam.fish`;

/** `mirzam completion`: a script that has a shell complete the commands and options of this version. */
export const completionCommand: CommandBuilder = (context) =>
  new Command('completion')
    .description('Prints a script that has a shell complete commands and options.')
    .addArgument(new Argument('<SHELL>', 'the shell').choices(SHELLS))
    .addHelpText('after', MORE)
    .action(
      context.ending(async (shell: Shell) => {
        context.stdout.write(completionScript(shell, await context.program()));
        return 0;
      }),
    );
