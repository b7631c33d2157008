import { Command } from 'commander';
import { type ServiceOptions, withTenantOptions } from '../asked-service.js';
import type { CommandBuilder, CommandContext, ExitCode } from '../context.js';
import { comparedRules } from './compared-rules.js';
import { blockText } from './rule-text.js';

const MORE = `
Each rule that would change is one block of a unified difference. Exits with 0 if there is no difference, with 1 if there
is one, and with 2 if that could not be found out.`;

type Given = ServiceOptions & { readonly prune?: true };

/** `mirzam rules diff`: what `mirzam rules apply` would do. */
export const diffCommand: CommandBuilder = (context) =>
  withTenantOptions(
    new Command('diff')
      .summary('prints what apply would do')
      .description('Prints what "mirzam rules apply" would do.')
      .argument('<FILE...>', 'the files of one tenant')
      .option('--prune', 'also with the rules that the files do not have, which apply --prune removes')
      .addHelpText('after', MORE),
  ).action(context.ending((files: readonly string[], options: Given) => diffed(files, options, context)));

async function diffed(files: readonly string[], options: Given, context: CommandContext): Promise<ExitCode> {
  const { blocks } = await comparedRules(files, options, context);
  for (const block of blocks) context.stdout.write(blockText(block));
  return blocks.length === 0 ? 0 : 1;
}
