#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { backtestCommand } from './backtest-command.js';
import { type Config, loadConfig } from './config/config.js';
import { readEnvironment } from './config/environment.js';
import { reportFailure } from './start-failure.js';
import { verifyCommand } from './verify-command.js';

/** Time limit of a stop, ms. Orchestrators of containers kill a slower process. */
const STOP_MS = 15_000;

const USAGE = `Usage: mirzam            starts the service; its settings are environment variables
       mirzam verify     checks content against a chain; mirzam verify --help says how
       mirzam backtest   tries a rule on measurements of the past; mirzam backtest --help says how
       mirzam --version  prints the version
`;
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const [command, ...rest] = process.argv.slice(2);
if (command === 'verify') process.exit(await verifyCommand(rest, process));
if (command === 'backtest') process.exit(await backtestCommand(rest, process));
if (command === '--version') {
  process.stdout.write(`${version}\n`);
  process.exit(0);
}
if (command !== undefined) {
  const isHelp = ['help', '--help', '-h'].includes(command);
  if (isHelp) process.stdout.write(USAGE);
  else process.stderr.write(`mirzam: there is no command ${JSON.stringify(command)}\n${USAGE}`);
  process.exit(isHelp ? 0 : 2);
}

const log = pino({
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level) => ({ level }) },
});

try {
  const config = loadConfig(readEnvironment());
  log.level = config.log.level;
  for (const warning of config.warnings) log.warn(warning);
  // The commands above do without the service, whose packages take a second to load.
  const { startService } = await import('./service.js');
  const service = await startService(config, log, version);
  log.info({ ...firstSteps(config, service.url), url: service.url }, `Mirzam ${version} is ready`);

  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // SIGINT is that of a person at the terminal.
    if (signal === 'SIGTERM') await service.drain();
    setTimeout(() => process.exit(1), STOP_MS).unref();
    await service.close();
    log.info('stopped');
  };
  process.on('SIGTERM', (signal) => void stop(signal)).on('SIGINT', (signal) => void stop(signal));
} catch (error) {
  reportFailure(error, log, process.stderr);
  process.exitCode = 1;
}

/** Returns hints for a first trial of the service. Empty in production. */
function firstSteps({ production, identity, ledger }: Config, url: string): Readonly<Record<string, string>> {
  if (production) return {};
  const isDemo =
    identity.kind === 'embedded' &&
    identity.users.some(({ tenant, user, password }) =>
      [tenant, user, password].every((it) => it === 'demo'),
    );
  return {
    console: `${url}/console`,
    docs: `${url}/docs/policy-api${ledger === undefined ? '' : ` and ${url}/docs/ledger-api`}`,
    ...(isDemo ? { login: 'tenant, user and password are demo' } : {}),
  };
}
