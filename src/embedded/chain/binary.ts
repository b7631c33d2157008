import { createRequire } from 'node:module';
import { StartError } from '../../errors.js';

const require = createRequire(import.meta.url);

/**
 * The path of the chain's node in the packages that are installed: the program itself, as the starter around it is one
 * more process, and one that dies without it. Throws a `StartError` where this platform has none.
 */
export function chainBinary(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`;
  try {
    // The package for the platform belongs to the other one, and need not lie where this file would find it.
    return createRequire(require.resolve('@foundry-rs/anvil/package.json')).resolve(`${name}/bin/anvil`);
  } catch (cause) {
    throw new StartError(
      `The chain in the process needs ${name}, which is not installed: run npm install with optional packages, or set ` +
        'CHAIN_RPC_URL and CHAIN_CONTRACT to a chain that runs elsewhere',
      { cause },
    );
  }
}
