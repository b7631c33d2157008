import { join } from 'node:path';
import type { Logger } from 'pino';
import { deployTimestamper } from '../embedded/chain/deploy.js';
import { type LateChain, openLateChain } from '../chain/late-chain.js';
import { openChain } from '../chain/open.js';
import type { Hex } from '../chain/port.js';
import { hexOf } from '../system/chain-bytes.js';
import { chainSettings, type Config, type LedgerConfig } from '../config/config.js';
import { startChainNode } from '../embedded/chain/node.js';
import { jsonBody } from '../http/body/body.js';
import type { Route } from '../http/router.js';
import { vaultRoutes } from '../embedded/wallet/routes.js';
import { createBodyOperations } from '../ledger/content/body-operations.js';
import { openLedger } from '../ledger/open.js';
import { ledgerBodies, ledgerRoutes } from '../ledger/http/routes.js';
import { openClaims } from '../ledger/verify/claim.js';
import { notifyRoutes } from '../ledger/http/notify-routes.js';
import { proofRoutes } from '../ledger/http/proof-routes.js';
import { verifyRoutes } from '../ledger/http/verify-routes.js';
import { durableSecret, durableTexts } from '../store/durable-texts.js';
import { makeFolder } from '../store/lmdb/make-folder.js';
import type { Store } from '../store/port.js';
import { openWallets } from '../wallets/select.js';
import type { ConfiguredLedger, ServiceContext } from './context.js';

/** Longest body of a request to the development wallet, bytes. A longer one would block the event loop. */
const WALLET_BODY = 128 * 1024;

type LedgerParts = Pick<
  ServiceContext,
  'config' | 'log' | 'now' | 'closeOnStop' | 'store' | 'nodes' | 'deliveries' | 'tracing'
>;

/** Opens the ledger, if one is configured. */
export async function openConfiguredLedger(parts: LedgerParts): Promise<ConfiguredLedger | undefined> {
  const { config, log, store, nodes, deliveries, now, closeOnStop, tracing } = parts;
  const { ledger } = config;
  if (ledger === undefined) return undefined;
  const waitMs = ledger.waitS * 1000;
  const chain = closeOnStop(await chainOf(parts, ledger));
  const onError = (error: unknown): void =>
    log.error({ err: error }, 'recorded transactions were not looked up again');
  const wallets = closeOnStop(
    openWallets({
      addresses: ledger.walletAddresses,
      production: config.production,
      defaultKey: await defaultKeyOf(ledger, store),
      now,
    }),
  );
  const open = closeOnStop(
    openLedger({
      store,
      deliveries,
      tracing,
      chain,
      defaultWallet: wallets.defaultWallet,
      settings: {
        confirmations: ledger.confirmations,
        finality: ledger.finality,
        proofs: ledger.proofs,
        explorerUrl: ledger.explorerUrl,
        keyTtlMs: ledger.idempotencyTtlS * 1000,
        waitMs,
        replaceAfterMs: ledger.replaceAfterS === 0 ? undefined : ledger.replaceAfterS * 1000,
        gasPriceMax: ledger.gasPriceMax,
        mirrorUrl: ledger.mirrorUrl,
      },
      now,
      onError,
      onUnproven: ({ hash: blockHash }, detail) =>
        log.warn({ blockHash, detail }, 'a final block has records that cannot be proven'),
      onHeld: (transactionHash, detail) =>
        log.warn(
          { transactionHash, detail },
          'the chain refuses a transaction that cannot be given up; it is sent again',
        ),
    }),
  );
  await open.countPending(store.shared ? await nodes.others() : 0);
  const operations = closeOnStop(createBodyOperations());
  const claims = closeOnStop(openClaims());
  const bodies = ledgerBodies({ bodyLimit: config.http.bodyLimit, batchLimit: config.http.batchLimit });
  const wallet = config.production ? undefined : await developmentWallet(parts, ledger, chain);
  return {
    kinds: open.kinds,
    chain,
    pendingNonces: () => ({
      chain: chain.missing() === undefined ? chain.name : undefined,
      confirmations: ledger.confirmations,
      carried: open.pendingNonces(),
    }),
    browse: (actors) => open.browse(actors),
    routes(actors, authenticate) {
      const authenticated = ledger.auth === 'token' ? authenticate : undefined;
      const recording = { ledger: open.ledger(actors), wallets, operations, bodies, waitMs, now };
      return [
        ...proofRoutes({ proof: open.proofs(actors), authenticated }),
        ...ledgerRoutes({ ...recording, authenticated }),
        ...notifyRoutes({ ...recording, authenticated }),
        ...verifyRoutes({ chain, storedProofs: open.storedProofs, claims, body: bodies.batch }),
        ...(wallet === undefined ? [] : wallet.routes),
      ];
    },
    start(actors, publicUrl) {
      open.start(actors);
      const accounts = `${publicUrl}/vault/v1/ethereum/accounts`;
      const isAllowed = ledger.walletAddresses?.some((prefix) => accounts.startsWith(prefix)) ?? true;
      if (wallet === undefined || !isAllowed) return;
      log.info(`development wallet: ${accounts}/NAME, X-Vault-Token ${wallet.token}`);
    },
  };
}

/** Opens the configured chain, or the embedded chain in the data folder. */
async function chainOf(
  { config, log, closeOnStop, now }: LedgerParts,
  ledger: LedgerConfig,
): Promise<LateChain> {
  const { url, contract } = ledger.chain ?? (await embeddedChain(config, log, closeOnStop));
  const late = await openLateChain(async () => {
    const found = await openChain({ url, contract, ...chainSettings(ledger), now });
    try {
      await found.ping();
    } catch (error) {
      await found.close();
      throw error;
    }
    return found;
  });
  if (ledger.chain !== undefined) logChain(late, url, log);
  return late;
}

/** Logs the chain, or why it is missing. Of the address only the host: the rest may contain a secret. */
function logChain(chain: LateChain, url: string, log: Logger): void {
  const { host } = new URL(url);
  const why = chain.missing();
  if (why !== undefined) {
    log.warn(`chain: none at ${host} yet; the service tries again and records nothing meanwhile. ${why}`);
  }
  chain.onFound(() => log.info(`chain: ${chain.name} at ${host}, contract ${chain.contract}`));
}

async function embeddedChain(
  config: Config,
  log: Logger,
  closeOnStop: LedgerParts['closeOnStop'],
): Promise<{ readonly url: string; readonly contract: Hex }> {
  // With MongoDB no other part creates the folder.
  await makeFolder(config.store.dataDir);
  const node = closeOnStop(
    await startChainNode({
      folder: join(config.store.dataDir, 'chain'),
      log: (line) => log.info({ part: 'chain' }, line),
      onRestart: () => void deployAgain(),
    }),
  );
  // The state from which the node has started again may be older than the contract.
  async function deployAgain(): Promise<void> {
    await deployTimestamper(node.url).catch((error: unknown) =>
      log.error({ err: error, part: 'chain' }, 'the contract was not deployed again'),
    );
  }
  const contract = await deployTimestamper(node.url);
  log.info(`development chain: ${node.url}, contract ${contract}`);
  return { url: node.url, contract };
}

async function defaultKeyOf({ defaultAccount }: LedgerConfig, store: Store): Promise<Hex | undefined> {
  if (defaultAccount === undefined) return undefined;
  if (defaultAccount.key !== undefined) return defaultAccount.key;
  return hexOf(await durableSecret(store, 'default-account'));
}

async function developmentWallet(
  { store, config }: LedgerParts,
  { walletDevToken }: LedgerConfig,
  chain: LateChain,
): Promise<{ readonly token: string; readonly routes: readonly Route[] }> {
  // With web3, which takes a fifth of the start's CPU time.
  const { embeddedWallet } = await import('../embedded/wallet/wallet.js');
  const wallet = embeddedWallet({
    accounts: durableTexts(store, 'wallet-account'),
    secret: await durableSecret(store, 'wallet'),
    chainId: () => chain.id,
  });
  const generated = Buffer.from(await durableSecret(store, 'wallet-token')).toString('base64url');
  const token = walletDevToken ?? generated;
  return {
    token,
    routes: vaultRoutes(wallet, token, jsonBody({ limit: Math.min(config.http.bodyLimit, WALLET_BODY) })),
  };
}
