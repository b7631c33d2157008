import { spawn, spawnSync } from 'node:child_process';

/** Output and status of a run. */
export interface SchemathesisRun {
  readonly status: number | null;
  readonly output: string;
}

/** Package of PyPI. SCHEMATHESIS names another binary. */
const BINARY = process.env['SCHEMATHESIS'] ?? 'schemathesis';

/**
 * Returns the function that runs schemathesis in a folder. Returns undefined, after a line on the console, if it is not
 * installed; with CI=true throws an `Error` instead.
 */
export function schemathesis():
  | ((folder: string, args: readonly string[]) => Promise<SchemathesisRun>)
  | undefined {
  if (spawnSync(BINARY, ['--version']).status !== 0) {
    const missing = `${BINARY} is not there; python3 -m venv DIR && DIR/bin/pip install schemathesis, and name it in SCHEMATHESIS`;
    if (process.env['CI'] === 'true') throw new Error(missing);
    console.log(`Skipping the requests of schemathesis: ${missing}`);
    return undefined;
  }
  return (folder, args) => {
    const child = spawn(BINARY, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const channel of ['stdout', 'stderr'] as const) {
      child[channel].setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    return new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (status) => resolve({ status, output }));
    });
  };
}
