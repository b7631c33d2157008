import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../../src/config/config.js';
import type { Route } from '../../src/http/router.js';
import { startService } from '../../src/service.js';

/** The whole service in this process, on a free port and an empty data folder. */
export interface RunningService {
  readonly url: string;
  readonly folder: string;
  /** All its routes. */
  readonly routes: readonly Route[];
  /** The lines of its log so far. */
  readonly logged: readonly string[];
  /** Makes the service unready, as SIGTERM does before the stop. */
  drain(): Promise<void>;
  /** Stops the service and removes its data. */
  close(): Promise<void>;
}

/**
 * Starts the service as `main.ts` does. The settings override defaults for specs, which have no ledger. `now`: the clock
 * of its actors.
 */
export async function runService(
  settings: Readonly<Record<string, string>> = {},
  now: () => number = Date.now,
): Promise<RunningService> {
  const folder = settings['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'mirzam-e2e-')));
  const clean = async (): Promise<void> => {
    if (settings['DATA_DIR'] === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    const config = loadConfig({
      PORT: '0',
      DATA_DIR: folder,
      LOG_LEVEL: 'silent',
      LEDGER: 'off',
      ...settings,
    });
    const logged: string[] = [];
    const level = (label: string) => ({ level: label });
    const log = pino(
      { level: config.log.level, formatters: { level } },
      { write: (line: string) => logged.push(line) },
    );
    const service = await startService(config, log, '0.0.0-spec', now);
    return {
      url: service.url,
      routes: service.routes,
      folder,
      logged,
      drain: () => service.drain(),
      close: () => service.close().then(clean),
    };
  } catch (error) {
    await clean();
    throw error;
  }
}
