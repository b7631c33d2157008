import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Adds to package-lock.json the optional packages, of all platforms, that its packages name. npm omits a package that its
 * registry lacks, and `npm ci` then refuses the lock file on every platform. To be run after `npm install NAME`.
 */

const PLATFORM =
  /(darwin|linux|win32|android|freebsd|openharmony)-(x64|amd64|arm64|arm|ia32|riscv64|ppc64|s390x)(?:-(gnu|musl|gnueabihf|musleabihf|msvc|eabi))?$/;

/** Adds the missing entries to a lock's `packages`. Returns their names. Throws for a name without a known platform. */
export function complete(packages) {
  const added = [];
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const nested = `${path}/node_modules/${name}`;
      if (packages[nested] !== undefined || packages[`node_modules/${name}`] !== undefined) continue;
      const dev = entry.dev === true ? { dev: true } : {};
      packages[`node_modules/${name}`] = { version, ...dev, optional: true, ...platformOf(name) };
      added.push(name);
    }
  }
  return added;
}

function platformOf(name) {
  if (name.includes('wasm32')) return { cpu: ['wasm32'] };
  const [, os, cpu, libc] = PLATFORM.exec(name) ?? [];
  if (os === undefined) throw new Error(`for which platform is ${name}? package-lock.json must say so`);
  const family = libc?.startsWith('gnu') ? ['glibc'] : libc?.startsWith('musl') ? ['musl'] : undefined;
  return {
    os: [os],
    cpu: [cpu === 'amd64' ? 'x64' : cpu],
    ...(family === undefined ? {} : { libc: family }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const added = complete(lock.packages);
  const sorted = Object.keys(lock.packages).toSorted((a, b) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries(sorted.map((path) => [path, lock.packages[path]]));
  writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
  console.log(`package-lock.json: ${added.length} optional packages added`);
}
