import { type ServiceOptions, type TenantService, tenantService } from '../asked-service.js';
import type { CommandContext } from '../context.js';
import { findRules } from './found-rules.js';
import { type Block, planOf } from './plan.js';
import { readRules } from './read-rules.js';
import type { ReadTest } from './read-tests.js';
import { TENANT_LIST } from './wanted-rules.js';

/** Files compared with a service. */
export interface ComparedRules {
  readonly service: TenantService;
  /** The changes that make the service have what the files have. */
  readonly blocks: readonly Block[];
  readonly tests: readonly ReadTest[];
  /** The window size of the tenant, and what it would be. */
  readonly sizes: { readonly before: number; readonly after: number };
}

/** Compares the files of one tenant with what the service has. `prune`: rules that the files do not have are removed. */
export async function comparedRules(
  files: readonly string[],
  options: ServiceOptions & { readonly prune?: true },
  context: CommandContext,
): Promise<ComparedRules> {
  const { tenant, wanted, tests } = await readRules(files, context.stdin);
  const prune = options.prune === true;
  const service = await tenantService(context, options, tenant);
  const servers = [...wanted.lists.keys()].filter((list) => list !== TENANT_LIST);
  const found = await findRules(service, prune ? 'all' : servers);
  const sizes = { before: found.windowsize, after: wanted.windowsize ?? found.windowsize };
  return { service, blocks: planOf(wanted, found, prune), tests, sizes };
}
