/**
 * Static checks: types, lint, format, unused code, rules of the repository (house.js). Prints a line for each and exits
 * with 1 if one finds a fault. Arguments select checks, run in the current folder: `node scripts/check.js house lint`.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspectHouse } from './house.js';

const root = process.cwd();
const tools = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'node_modules');

/** Runs an installed tool with Node. Returns { ok, output }: the output of both channels in order. */
function tool(file, ...args) {
  const child = spawn(process.execPath, [path.join(tools, file), ...args], { cwd: root });
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.once('error', reject).once('close', (status) => resolve({ ok: status === 0, output }));
  });
}

const checks = {
  async types() {
    // The last one has the declarations of the package.
    const projects = ['tsconfig.json', 'web/tsconfig.json', 'tsconfig.types.json'].filter((file) =>
      existsSync(path.join(root, file)),
    );
    const runs = await Promise.all(
      projects.map((project) => tool('typescript/bin/tsc', '--noEmit', '--listFiles', '-p', project)),
    );
    const ok = runs.every((run) => run.ok);
    const output = runs.map((run) => run.output).join('\n');
    const isOwnFile = (line) => line.startsWith(`${root}/`) && !line.includes('/node_modules/');
    const lines = output.split('\n');
    const files = new Set(lines.filter(isOwnFile)).size;
    const faults = lines.filter((line) => !path.isAbsolute(line)).join('\n');
    return { ok: ok && files > 0, summary: `${files} files`, faults };
  },

  async lint() {
    const { ok, output } = await tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings');
    return {
      ok,
      summary: /on (\d+ files? with \d+ rules)/.exec(output)?.[1] ?? 'did not finish',
      faults: output,
    };
  },

  async format() {
    const { ok, output } = await tool('oxfmt/bin/oxfmt', '--check');
    return { ok, summary: /on (\d+ files?)/.exec(output)?.[1] ?? 'did not finish', faults: output };
  },

  async unused() {
    const { ok, output } = await tool('knip/bin/knip.js', '--no-progress', '--treat-config-hints-as-errors');
    return { ok, summary: 'files, exports and dependencies all have a use', faults: output };
  },

  async house() {
    const { files, folders, imports, longest, faults } = inspectHouse(root);
    const summary = `${files} files in ${folders} folders, ${imports} imports, none upward, longest ${longest} lines`;
    return { ok: faults.length === 0, summary, faults: faults.join('\n') };
  },
};

async function perform(name) {
  const start = performance.now();
  const { ok, summary, faults } = await checks[name]();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(
    ok ? `${name}: ${summary} (${seconds} s)\n` : `${name}: FAULTS (${seconds} s)\n${faults.trimEnd()}\n`,
  );
  return ok;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  process.stderr.write(`there is no check "${unknown.join('", "')}": ${Object.keys(checks).join(', ')}\n`);
  process.exitCode = 1;
} else {
  const results = await Promise.all((wanted.length > 0 ? wanted : Object.keys(checks)).map(perform));
  process.exitCode = results.every(Boolean) ? 0 : 1;
}
