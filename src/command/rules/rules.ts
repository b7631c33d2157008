import { Command } from 'commander';
import type { CommandBuilder } from '../context.js';
import { importRulesCommand } from '../import-rules/import.js';
import { applyCommand } from './apply.js';
import { diffCommand } from './diff.js';
import { pullCommand } from './pull.js';
import { testCommand } from './test.js';

const MORE = `
A file has the rules of one tenant, as YAML or JSON; several files of one tenant are one. Rules are known by their names.
The page /docs/rules-as-code of a service describes the format.`;

/** `mirzam rules`: the rules of a tenant as files. */
export const rulesCommand: CommandBuilder = (context) =>
  new Command('rules')
    .description('Keeps the rules and subscriptions of a tenant in files.')
    .addHelpText('after', MORE)
    .addCommand(pullCommand(context))
    .addCommand(diffCommand(context))
    .addCommand(applyCommand(context))
    .addCommand(testCommand(context))
    .addCommand(importRulesCommand(context));
