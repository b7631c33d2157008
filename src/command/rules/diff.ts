import { Command } from 'commander';
import { type ServiceOptions, withTenantOptions } from '../asked-service.js';
import type { CommandBuilder, CommandContext, ExitCode } from '../context.js';
import { type ComparedRules, comparedRules } from './compared-rules.js';
import type { RuleBlock } from './plan.js';
import type { ReadTest } from './read-tests.js';
import { blockText } from './rule-text.js';
import { readSeries } from './series.js';

const MORE = `
Each rule that would change is one block of a unified diff. If the files have tests of it, a line for each has the
number of messages that the old and the new rule send for the series. Exits with 0 if there is no difference, with 1 if there
is one, and with 2 if that could not be determined.`;

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
  const { blocks, tests, sizes } = await comparedRules(files, options, context);
  for (const block of blocks) {
    const figures = block.is === 'rule' ? await figuresOf(block, tests, sizes) : [];
    context.stdout.write(blockText(block) + figures.map((line) => `${line}\n`).join(''));
  }
  return blocks.length === 0 ? 0 : 1;
}

/** Returns what a change of a rule makes of the series of its tests, a line for each. */
async function figuresOf(
  { list, name, before, after, change }: RuleBlock,
  tests: readonly ReadTest[],
  sizes: ComparedRules['sizes'],
): Promise<readonly string[]> {
  if (after === undefined || (before !== undefined && change === undefined)) return [];
  const lines: string[] = [];
  for (const { series } of tests.filter((test) => test.series.list === list && test.series.rule === name)) {
    const { play } = await readSeries(series);
    const old = before === undefined ? 0 : play(before.draft, sizes.before).messages.length;
    const changed = play(after.draft, sizes.after).messages.length;
    lines.push(`${series.csv}: ${old} → ${changed} messages`);
  }
  return lines;
}
