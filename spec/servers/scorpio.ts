import { ask } from './orion.js';
import type { Orion } from './orion.js';
import { startTool } from './tool.js';

/** A real Scorpio (NGSI-LD) for one spec. */
export type Scorpio = Orion;

const NEEDS = {
  '/usr/bin/java': 'openjdk-17-jre-headless',
  '/usr/share/postgresql/15/extension/postgis.control': 'postgresql-15 postgresql-15-postgis-3',
};

/**
 * Starts Scorpio on a free port, which takes about ten seconds. Returns undefined, after a line on the console, if it or
 * what it needs is not installed; with CI=true throws an `Error` instead.
 */
export async function startScorpio(): Promise<Scorpio | undefined> {
  const tool = await startTool({
    name: 'scorpio',
    ports: 3,
    folder: 'SCORPIO_RUN',
    processes: { SCORPIO_PID: 'SIGKILL', SCORPIO_CONTEXTS_PID: 'SIGKILL', SCORPIO_DB_PID: 'SIGINT' },
    needs: NEEDS,
  });
  if (tool === undefined) return undefined;
  const url = tool.printed('SCORPIO_URL');
  return { url, call: (...request) => ask(url, ...request), stop: () => tool.stop() };
}
