import { Command } from 'commander';
import { type Config, ConfigError, loadConfig } from '../../config/config.js';
import { namesInFile } from '../../config/environment.js';
import type { CommandBuilder, CommandContext, ExitCode } from '../context.js';
import {
  checkBrokers,
  checkIdentity,
  checkLogin,
  checkMail,
  checkMqtt,
  checkTraces,
} from './dependency-checks.js';
import { fault, type Finding, lineOf, ok, warning } from './finding.js';
import { checkChain, checkWallets } from './ledger-checks.js';
import { checkNames } from './names-check.js';
import { checkPublicUrl, checkService, localUrl, runningAt } from './service-checks.js';
import { checkStore } from './store-check.js';

const MORE = `
Prints a line for each part: ok, note, warning (it works, but is probably not intended) or fault, and what to do. Sends no
message. Exits with 1 if there is a fault, and with 2 if the settings cannot be used.`;

/** `mirzam doctor`: checks the settings of a service, and each dependency that they name. */
export const doctorCommand: CommandBuilder = (context) =>
  new Command('doctor')
    .description('Checks the settings of this folder and environment, and each dependency that they name.')
    .option('--json', 'the findings as a JSON array')
    .addHelpText('after', MORE)
    .action(context.ending((options: { json?: true }) => examined(options.json === true, context)));

async function examined(asJson: boolean, { environment, stdout }: CommandContext): Promise<ExitCode> {
  const findings: Finding[] = [];
  const report = (...found: readonly (Finding | undefined)[]): void => {
    for (const one of found) {
      if (one === undefined) continue;
      findings.push(one);
      if (!asJson) stdout.write(lineOf(one));
    }
  };
  const config = configOf(environment, report);
  if (config !== undefined) await examine(config, report);
  if (asJson) stdout.write(`${JSON.stringify(findings, undefined, 2)}\n`);
  if (config === undefined) return 2;
  return findings.some(({ grade }) => grade === 'fault') ? 1 : 0;
}

type Report = (...found: readonly (Finding | undefined)[]) => void;

/** Returns the configuration; undefined if it cannot be used, which is reported. */
function configOf(environment: CommandContext['environment'], report: Report): Config | undefined {
  try {
    const variables = environment();
    report(...checkNames(Object.keys(variables), namesInFile()));
    const config = loadConfig(variables);
    report(ok('settings', config.production ? 'production' : 'trial: NODE_ENV is not production'));
    report(...config.warnings.map((text) => warning('settings', text)));
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    report(...error.faults.map((text) => fault('settings', text)));
    return undefined;
  }
}

/** Examines all parts at once, and reports them in the order of the help. */
async function examine(config: Config, report: Report): Promise<void> {
  const url = localUrl(config);
  const running = await runningAt(url);
  const checks: readonly Promise<Finding | readonly Finding[] | undefined>[] = [
    checkService(running, url),
    checkStore(config, running),
    checkIdentity(config),
    checkLogin(config),
    checkBrokers(config),
    checkMqtt(config),
    checkMail(config),
    checkChain(config),
    checkWallets(config),
    checkTraces(config),
    checkPublicUrl(config, running),
  ];
  for (const found of await Promise.all(checks)) {
    report(...(Array.isArray(found) ? (found as readonly Finding[]) : [found as Finding | undefined]));
  }
}
