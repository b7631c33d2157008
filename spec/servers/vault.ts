import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { accepts, reservedPort } from './ports.js';

/**
 * HashiCorp Vault, with vault-ethereum at `ethereum/` and ethsign at `ethsign/`. The one that specs start has Vault's real
 * core and stand-ins for the two engines; that of VAULT_TEST_ADDR may have the engines themselves.
 */
export interface Vault {
  /** Without a trailing slash. */
  readonly url: string;
  /** Token with all rights. */
  readonly token: string;
  /** Creates an account in vault-ethereum from `body`. `mount`: default `ethereum`. */
  account(body?: object, mount?: string): Promise<VaultAccount>;
  /** Mounts another vault-ethereum with its own node and chain. Returns its path. */
  mount(config: { readonly rpcUrl: string; readonly chainId: number }): Promise<string>;
  /** Creates an account in ethsign from a private key of 64 hexadecimal digits. */
  ethsignAccount(privateKey: string): Promise<VaultAccount>;
  /** Creates a token with these rights only: path after `/v1/` → capabilities. */
  narrowToken(rights: Readonly<Record<string, readonly string[]>>): Promise<string>;
  /** Sends a request to a path after `/v1/`. Returns the parsed body. Throws an `Error` for a status over 299. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  /** Seals the Vault permanently. undefined for the Vault of VAULT_TEST_ADDR. */
  readonly seal: (() => Promise<void>) | undefined;
  /** Stops the Vault, unless it is that of VAULT_TEST_ADDR. */
  stop(): Promise<void>;
}

/** An account in Vault. */
export interface VaultAccount {
  /** Value of Wallet-Address. */
  readonly url: string;
  /** In lower case. */
  readonly address: `0x${string}`;
  /** Path after `/v1/`. */
  readonly path: string;
}

/** Error of an engine that a spec has stopped and that is about to restart. */
const AWAY = /rpc error: code = Unavailable|plugin is shut down|internal error/;

const START_SCRIPT = fileURLToPath(new URL('../../../../shared/tools/vault/start', import.meta.url));

/**
 * Starts Vault on a free port, which takes about a second, or uses that of VAULT_TEST_ADDR with the token
 * VAULT_TEST_TOKEN. Returns undefined, after a line on the console, if there is none; with CI=true throws an `Error`
 * instead. `chainId` and `rpcUrl` configure the mount of vault-ethereum in a started Vault.
 */
export async function startVault(
  wanted: { readonly chainId?: number; readonly rpcUrl?: string } = {},
): Promise<Vault | undefined> {
  const given = process.env['VAULT_TEST_ADDR'];
  if (given !== undefined && given !== '') return foreign(given);
  const { chainId = 31_337, rpcUrl = 'http://127.0.0.1:1' } = wanted;
  if (existsSync(START_SCRIPT)) return start(await reservedPort(), chainId, rpcUrl);
  const missing = `no Vault: ${START_SCRIPT} is not there, and VAULT_TEST_ADDR is not set`;
  if (process.env['CI'] === 'true') throw new Error(missing);
  console.log(`Skipping specs: ${missing}`);
  return undefined;
}

function foreign(address: string): Vault {
  const url = address.replace(/\/$/, '');
  return {
    ...asked(url, process.env['VAULT_TEST_TOKEN'] ?? ''),
    seal: undefined,
    stop: async () => undefined,
  };
}

async function start(port: number, chainId: number, rpcUrl: string): Promise<Vault> {
  const run = await mkdtemp(join(tmpdir(), 'vault-'));
  const { stdout } = await promisify(execFile)(START_SCRIPT, [String(port), rpcUrl, String(chainId)], {
    env: { ...process.env, VAULT_RUN: run },
  });
  const read = (name: string): string => new RegExp(`^${name}=(.+)$`, 'm').exec(stdout)?.[1] ?? '';
  const pid = Number(read('VAULT_PID'));
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`${START_SCRIPT} printed no VAULT_PID`);
  if (!(await accepts(port))) throw new Error(`Vault does not listen on port ${port}`);
  const vault = asked(read('VAULT_ADDR'), read('VAULT_TOKEN'));
  return {
    ...vault,
    seal: async () => void (await vault.call('PUT', 'sys/seal')),
    async stop() {
      process.kill(pid, 'SIGTERM');
      await untilGone(port);
      await rm(run, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** Operations of any Vault. */
function asked(url: string, token: string): Omit<Vault, 'seal' | 'stop'> {
  async function call(method: string, path: string, body?: object, attempt = 1): Promise<unknown> {
    const response = await fetch(`${url}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': token },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status === 500 && AWAY.test(text) && attempt < 50) {
      await pause(100);
      return call(method, path, body, attempt + 1);
    }
    if (!response.ok) throw new Error(`Vault answered ${response.status} to ${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  function accountAt(path: string, answer: unknown): VaultAccount {
    const { address } = (answer as { data: { address: string } }).data;
    return { url: `${url}/v1/${path}`, path, address: address.toLowerCase() as `0x${string}` };
  }

  return {
    url,
    token,
    call,
    async account(body = {}, mount = 'ethereum') {
      const path = `${mount}/accounts/spec-${randomUUID()}`;
      return accountAt(path, await call('POST', path, body));
    },
    async mount({ rpcUrl, chainId }) {
      const mount = `spec-${randomUUID()}`;
      await call('POST', `sys/mounts/${mount}`, { type: 'vault-ethereum' });
      await call('POST', `${mount}/config`, { rpc_url: rpcUrl, chain_id: String(chainId) });
      return mount;
    },
    async ethsignAccount(privateKey) {
      const answer = await call('POST', 'ethsign/accounts', { privateKey });
      const { address } = (answer as { data: { address: string } }).data;
      return accountAt(`ethsign/accounts/${address}`, answer);
    },
    async narrowToken(rights) {
      const policy = `spec-${randomUUID()}`;
      const rules = Object.entries(rights).map(
        ([path, capabilities]) => `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`,
      );
      await call('PUT', `sys/policies/acl/${policy}`, { policy: rules.join('\n') });
      const answer = await call('POST', 'auth/token/create', { policies: [policy], no_default_policy: true });
      return (answer as { auth: { client_token: string } }).auth.client_token;
    },
  };
}

/** Waits for the port to close: the process is not a child of this one. */
async function untilGone(port: number): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (await accepts(port))
    if (Date.now() > deadline) throw new Error(`Vault still listens on port ${port}`);
}
