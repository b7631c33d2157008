import { Command } from 'commander';
import { type ServiceOptions, withTenantOptions } from '../asked-service.js';
import type { CommandBuilder, CommandContext, ExitCode } from '../context.js';
import { comparedRules } from './compared-rules.js';
import { makeAll, tryAll } from './make.js';
import { readySteps, stepsOf } from './steps.js';

const MORE = `
The service first checks all changes. If it refuses one, nothing is changed. A rule that the files do not have stays, and
so do the subscriptions of a rule without the member subscriptions.`;

type Given = ServiceOptions & { readonly prune?: true };

/** `mirzam rules apply`: makes a tenant have what files have. */
export const applyCommand: CommandBuilder = (context) =>
  withTenantOptions(
    new Command('apply')
      .summary('makes the rules of a tenant the same as those in files')
      .description(
        'Makes the rules and subscriptions of a tenant the same as those in the files, and prints each change.',
      )
      .argument('<FILE...>', 'the files of one tenant')
      .option('--prune', 'removes the rules that the files do not have, of all servers too')
      .addHelpText('after', MORE),
  ).action(context.ending((files: readonly string[], options: Given) => applied(files, options, context)));

async function applied(files: readonly string[], options: Given, context: CommandContext): Promise<ExitCode> {
  const { service, blocks } = await comparedRules(files, options, context);
  const steps = readySteps(stepsOf(blocks), context.environment());
  await tryAll(service, steps);
  await makeAll(service, steps, ({ done }) => context.stdout.write(`${done}\n`));
  if (steps.length === 0) context.stdout.write(`tenant ${service.tenant}: nothing to change\n`);
  return 0;
}
