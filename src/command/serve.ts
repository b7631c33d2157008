import { Command } from 'commander';
import { pino } from 'pino';
import { type Config, loadConfig } from '../config/config.js';
import type { CommandBuilder, CommandContext, ExitCode } from './context.js';
import { reportFailure } from './start-failure.js';

/** Time limit of a stop, ms. Orchestrators of containers kill a slower process. */
const STOP_MS = 15_000;

const MORE = `
The settings are environment variables, or lines of the file .env in the current folder, for example PORT and DATA_DIR.
SIGTERM and SIGINT stop the service. Under a supervisor, start it without npx, which passes no SIGTERM on. Exits with 2 if the
service cannot start.`;

/** `mirzam serve`: the service. */
export const serveCommand: CommandBuilder = (context) =>
  new Command('serve')
    .description('Starts the service.')
    .addHelpText('after', MORE)
    .action(context.ending(() => serve(context)));

async function serve({ environment, version, stderr }: CommandContext): Promise<ExitCode | undefined> {
  const log = pino({
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
  });
  try {
    const config = loadConfig(environment());
    log.level = config.log.level;
    for (const warning of config.warnings) log.warn(warning);
    // Wrong settings are reported without the service, whose packages take a second to load.
    const { startService } = await import('../service.js');
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
    return undefined;
  } catch (error) {
    reportFailure(error, log, stderr);
    return 2;
  }
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
