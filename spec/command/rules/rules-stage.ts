import { expect } from 'chai';
import { stringify } from 'yaml';
import type { ApiClient } from '../../e2e/api-client.js';
import { okBody } from '../../e2e/policy/actions.js';
import { type Scene, scenes } from '../../e2e/scene.js';
import { writtenFiles } from '../../written-files.js';
import { type CommandRun, runWords } from '../command-runs.js';

export const HOOK = 'https://example.org/hook';

/** A rule of the tenant, and one of a server. */
export const BUSY = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater', clear: 70 } },
  action: { actionName: 'notify-email', email: 'ops@example.org', body: 'Add a machine' },
  for: 600,
  repeat: 0,
  resolve: true,
};
export const FULL = {
  name: 'disk full',
  condition: { hdd: { value: 90, operand: 'greater equal' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

/** The command `mirzam rules` and a service. */
export interface RulesStage extends Scene {
  /** Runs a command with the credentials of the tenant `demo`. */
  readonly rules: (...args: readonly string[]) => Promise<CommandRun>;
  /** Runs a command that must end with 0. Returns what it printed. */
  readonly done: (...args: readonly string[]) => Promise<string>;
  /** Everything that the commands may change, with ids. */
  readonly state: () => Promise<string>;
}

/** Runs `mirzam rules`. */
export function runRules(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandRun> {
  return runWords(['rules', ...args], environment);
}

/** Starts services, and writes files. */
export interface RulesStages {
  readonly pathOf: (name: string) => string;
  readonly file: (name: string, content: unknown) => Promise<string>;
  /** Writes a file of rules as YAML. Returns its path. */
  readonly yaml: (name: string, content: object) => Promise<string>;
  readonly stage: (settings?: Readonly<Record<string, string>>) => Promise<RulesStage>;
}

/** Makes the stages of a `describe`. */
export function rulesStages(): RulesStages {
  const open = scenes();
  const written = writtenFiles();
  return {
    pathOf: (name) => written.pathOf(name),
    file: (name, content) => written.file(name, content),
    yaml: (name, content) => written.file(name, stringify(content)),
    stage: async (settings = {}) => {
      const service = await open.service(settings);
      const environment = {
        MIRZAM_URL: service.url,
        MIRZAM_TENANT: 'demo',
        MIRZAM_USER: 'demo',
        MIRZAM_PASSWORD: 'demo',
      };
      const rules = (...args: readonly string[]): Promise<CommandRun> => runRules(args, environment);
      return {
        ...service,
        rules,
        done: async (...args) => {
          const { code, out, err } = await rules(...args);
          expect({ code, err }, out).to.deep.equal({ code: 0, err: '' });
          return out;
        },
        state: () => stateOf(service.api),
      };
    },
  };
}

async function stateOf(api: ApiClient): Promise<string> {
  const paths = ['', '/rules', '/servers', '/subscriptions'];
  const answers = await Promise.all(paths.map((path) => api.call('GET', `/v1.0/demo${path}`)));
  return answers.map((answer) => JSON.stringify(okBody(answer), undefined, 1)).join('\n');
}

/** Returns the subscriptions of the tenant as lines `server url rule`, sorted. */
export async function subscriptionsOf(api: ApiClient): Promise<readonly string[]> {
  const { subscriptions } = okBody(
    await api.call('GET', '/v1.0/demo/subscriptions?limit=1000'),
  ) as unknown as {
    readonly subscriptions: readonly { serverId: string; url: string; ruleId: string }[];
  };
  const nameOf = await namesById(api);
  return subscriptions
    .map(({ serverId, url, ruleId }) => `${serverId} ${url} ${nameOf(serverId, ruleId)}`)
    .toSorted();
}

async function namesById(api: ApiClient) {
  const read = async (path: string): Promise<readonly { ruleId: string; name: string }[]> =>
    okBody(await api.call('GET', path))['rules']!;
  const generic = await read('/v1.0/demo/rules');
  const { servers } = okBody(await api.call('GET', '/v1.0/demo/servers')) as unknown as {
    readonly servers: readonly { readonly serverId: string }[];
  };
  const all = [...generic];
  for (const { serverId } of servers) all.push(...(await read(`/v1.0/demo/servers/${serverId}`)));
  return (_: string, ruleId: string): string => all.find((one) => one.ruleId === ruleId)!.name;
}
