import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reservedPort } from '../../spec/servers/ports.js';
import { StartError } from '../../src/errors.js';

/** The service that the demo uses. */
export interface DemoService {
  readonly url: string;
  /** True if the demo started the service, and so stops it. */
  readonly own: boolean;
  /** Token of the development wallet, if known. */
  readonly walletToken: string | undefined;
  stop(): Promise<void>;
}

/**
 * Returns the service at MIRZAM_URL (default `http://localhost:8080`) if it answers, else starts one. `token` is that of the
 * development wallet, if known. Throws `StartError`.
 */
export async function findOrStart(
  wanted: string | undefined,
  walletToken: string | undefined,
): Promise<DemoService> {
  const url = (wanted ?? 'http://localhost:8080').replace(/\/+$/, '');
  if (await isMirzam(url)) return { url, own: false, walletToken, stop: async () => {} };
  if (wanted !== undefined)
    throw new StartError(`No Mirzam answers at ${wanted}: start it, or leave MIRZAM_URL out.`);
  return start(walletToken ?? randomBytes(16).toString('hex'));
}

async function start(walletToken: string): Promise<DemoService> {
  const port = await reservedPort();
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-demo-'));
  const script = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  const env = {
    PATH: process.env['PATH'],
    PORT: String(port),
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    WALLET_DEV_TOKEN: walletToken,
  };
  const child = spawn(process.execPath, [script], {
    env,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  // For any end of the demo.
  process.once('exit', () => child.kill('SIGTERM'));
  const url = `http://localhost:${port}`;
  const deadline = Date.now() + 20_000;
  while (!(await isMirzam(url))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new StartError('The service did not start.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    own: true,
    walletToken,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isMirzam(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/version`, { signal: AbortSignal.timeout(2_000) });
    const { name } = (await response.json()) as { name?: string };
    return name === 'mirzam' && (await fetch(`${url}/health`)).ok;
  } catch {
    return false;
  }
}
