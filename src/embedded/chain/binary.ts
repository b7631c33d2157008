import { createRequire } from 'node:module';
import { StartError } from '../../errors.js';

const require = createRequire(import.meta.url);

/**
 * Returns the path of the node's program in the installed packages, past its wrapper script: the wrapper is one more
 * process, and may die without the program. Throws a `StartError` if the package for this platform is missing.
 */
export function chainBinary(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`;
  try {
    // A dependency of `@foundry-rs/anvil`, resolved from there: it may not be installed at the root.
    return createRequire(require.resolve('@foundry-rs/anvil/package.json')).resolve(`${name}/bin/anvil`);
  } catch (cause) {
    throw new StartError(
      `The chain in the process needs ${name}, which is not installed: run npm install with optional packages, or set ` +
        'CHAIN_RPC_URL and CHAIN_CONTRACT to a chain that runs elsewhere',
      { cause },
    );
  }
}
