import { Command } from 'commander';
import { type ServiceOptions, tenantService, withTenantOptions } from '../asked-service.js';
import { type CommandBuilder, type CommandContext, type ExitCode } from '../context.js';
import { writeText } from '../files.js';
import { findRules, type FoundRules } from './found-rules.js';
import { refuseDuplicates, shapeOfFound } from './plan.js';
import { ruleInFile, yamlOf } from './rule-text.js';
import { TENANT_LIST } from './wanted-rules.js';

const MORE = `
Without FILE it writes YAML to the standard output. A FILE that ends in .json is JSON. Tests, comments and further files are
yours: pull writes none.`;

type Given = ServiceOptions & { readonly force?: true };

/** `mirzam rules pull`: writes what a tenant has as a file. */
export const pullCommand: CommandBuilder = (context) =>
  withTenantOptions(
    new Command('pull')
      .summary('writes the rules of a tenant as a file')
      .description('Writes the window size, the rules and the subscriptions of a tenant as a file.')
      .argument('[FILE]', 'the file')
      .option('--force', 'replaces a file that exists')
      .addHelpText('after', MORE),
  ).action(context.ending((file: string | undefined, options: Given) => pulled(file, options, context)));

async function pulled(file: string | undefined, options: Given, context: CommandContext): Promise<ExitCode> {
  const service = await tenantService(context, options);
  const isJson = file?.endsWith('.json') ?? false;
  const text = fileText(service.tenant, await findRules(service, 'all'), isJson);
  if (file === undefined) context.stdout.write(text);
  else await writeText(file, text, { isNew: options.force !== true });
  return 0;
}

/** Returns what a tenant has as a file. Throws `Failure` if two rules of a list have one name, which a file cannot have. */
function fileText(tenant: string, found: FoundRules, isJson: boolean): string {
  refuseDuplicates(found);
  const file = { tenant, ...contentOf(found) };
  return isJson ? `${JSON.stringify(file, undefined, 2)}\n` : yamlOf(file);
}

function contentOf({ windowsize, lists }: FoundRules): object {
  const all = Array.from(lists, ([list, rules]): [string, readonly object[]] => [
    list,
    rules.map((one) => ruleInFile(shapeOfFound(one, true), list)),
  ]);
  const ofTenant = all.find(([list]) => list === TENANT_LIST)?.[1] ?? [];
  const ofServers = all.filter(([list, rules]) => list !== TENANT_LIST && rules.length > 0);
  const servers = Object.fromEntries(ofServers.map(([list, rules]) => [list, { rules }]));
  return { windowsize, rules: ofTenant, ...(ofServers.length === 0 ? {} : { servers }) };
}
