import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ActorKind } from '../actors/kind.js';
import type { Actors } from '../actors/runtime.js';
import { deployTimestamper } from '../chain/deploy.js';
import { openLateChain } from '../chain/late-chain.js';
import type { LateChain } from '../chain/late-chain.js';
import { openChain } from '../chain/open.js';
import type { Hex } from '../chain/port.js';
import { hexOf } from '../system/chain-bytes.js';
import type { Config, LedgerConfig } from '../config/config.js';
import type { Deliveries } from '../delivery/deliveries.js';
import { startChainNode } from '../embedded/chain/node.js';
import { embeddedWallet } from '../embedded/wallet/wallet.js';
import { jsonBody } from '../http/body/body.js';
import type { EdgeMiddleware } from '../http/context.js';
import type { Route } from '../http/router.js';
import { vaultRoutes } from '../embedded/wallet/routes.js';
import { createBodyOperations } from '../ledger/content/body-operations.js';
import { openLedger } from '../ledger/open.js';
import { ledgerRoutes } from '../ledger/http/routes.js';
import { ledgerBodies } from '../ledger/http/bodies.js';
import { openClaims } from '../ledger/verify/claims.js';
import { verifyRoutes } from '../ledger/http/verify-routes.js';
import { durableSecret } from '../store/durable-secret.js';
import { makeFolder } from '../store/lmdb/make-folder.js';
import { durableTexts } from '../store/durable-texts.js';
import type { Store } from '../store/port.js';
import { keyWallet } from '../wallets/key-wallet.js';
import { openWallets } from '../wallets/select.js';

/** Bytes of what the development wallet is asked: more would hold the event loop. */
const WALLET_BODY = 128 * 1024;

/** What the ledger's half of the service is given. */
export interface LedgerSetting {
  readonly config: Config;
  readonly log: Logger;
  readonly store: Store;
  readonly deliveries: Deliveries;
  readonly actors: () => Actors;
  readonly now: () => number;
  /** Has a part closed with the service, before those opened earlier. */
  readonly opened: <T extends { close(): Promise<unknown> }>(part: T) => T;
}

/** The ledger's half of the service. */
export interface LedgerHalf {
  readonly kinds: readonly ActorKind[];
  /** `authenticated` checks the token of a request. */
  routes(authenticated: EdgeMiddleware): readonly Route[];
  /** Says how the embedded parts are reached, and looks after what was recorded before; once the service listens. */
  start(publicUrl: string): void;
}

/** Opens the ledger that the configuration names. */
export async function openLedgerHalf(setting: LedgerSetting, ledger: LedgerConfig): Promise<LedgerHalf> {
  const { config, log, store, deliveries, actors, now, opened } = setting;
  const chain = opened(await chainOf(setting, ledger));
  const onError = (error: unknown): void =>
    log.error({ err: error }, 'recorded transactions were not looked up again');
  const open = opened(
    openLedger({
      actors,
      store,
      deliveries,
      chain,
      settings: {
        confirmations: ledger.confirmations,
        finality: ledger.finality,
        keyTtlMs: ledger.idempotencyTtlS * 1000,
        gasBumpAfterMs: ledger.gasBumpAfterS === 0 ? undefined : ledger.gasBumpAfterS * 1000,
        gasPriceMax: ledger.gasPriceMax,
        mirrorUrl: ledger.mirrorUrl,
      },
      now,
      onError,
      onHeld: (transactionHash, detail) =>
        log.warn(
          { transactionHash, detail },
          'the chain refuses a transaction that cannot be given up: tried on',
        ),
    }),
  );
  const wallets = opened(
    openWallets({
      addresses: ledger.walletAddresses,
      production: config.production,
      defaultKey: await defaultKeyOf(ledger, store),
      now,
    }),
  );
  const operations = opened(createBodyOperations());
  const claims = opened(openClaims());
  const bodies = ledgerBodies({ bodyLimit: config.http.bodyLimit, batchLimit: ledger.batchLimit });
  const wallet = config.production ? undefined : await developmentWallet(setting, ledger, chain);
  return {
    kinds: open.kinds,
    routes: (authenticated) => [
      ...ledgerRoutes({
        ledger: open.ledger,
        wallets,
        operations,
        bodies,
        authenticated: ledger.auth === 'token' ? authenticated : undefined,
        waitMs: ledger.waitS * 1000,
        now,
      }),
      ...verifyRoutes({ chain, storedProof: open.storedProof, claims, body: bodies.entity }),
      ...(wallet === undefined ? [] : wallet.routes),
    ],
    start(publicUrl) {
      open.start();
      const accounts = `${publicUrl}/vault/v1/ethereum/accounts`;
      const isAllowed = ledger.walletAddresses?.some((prefix) => accounts.startsWith(prefix)) ?? true;
      if (wallet === undefined || !isAllowed) return;
      log.info(`development wallet: ${accounts}/NAME, X-Vault-Token ${wallet.token}`);
    },
  };
}

/** The chain that is configured, or one of our own in the data folder. */
async function chainOf(
  { config, log, opened, now }: LedgerSetting,
  { chain, gasPriceFactor, gasLimit, finality }: LedgerConfig,
): Promise<LateChain> {
  const { url, contract } = chain ?? (await embeddedChain(config, log, opened));
  const limit = gasLimit === undefined ? undefined : BigInt(gasLimit);
  const late = await openLateChain(async () => {
    const found = await openChain({ url, contract, gasPriceFactor, gasLimit: limit, finality, now });
    try {
      await found.ping();
    } catch (error) {
      await found.close();
      throw error;
    }
    return found;
  });
  if (chain !== undefined) tellOf(late, url, log);
  return late;
}

/** Says which chain it is, or what keeps it away. Of its address the host alone: the rest may hold a secret. */
function tellOf(chain: LateChain, url: string, log: Logger): void {
  const { host } = new URL(url);
  const why = chain.missing();
  if (why !== undefined) {
    log.warn(`chain: none at ${host} yet, which is looked for again and again; nothing is recorded. ${why}`);
  }
  chain.onFound(() => log.info(`chain: ${chain.name} at ${host}, contract ${chain.contract}`));
}

async function embeddedChain(
  config: Config,
  log: Logger,
  opened: LedgerSetting['opened'],
): Promise<{ readonly url: string; readonly contract: Hex }> {
  // With MongoDB nothing else has made it.
  await makeFolder(config.store.dataDir);
  const node = opened(
    await startChainNode({
      folder: join(config.store.dataDir, 'chain'),
      log: (line) => log.info({ part: 'chain' }, line),
    }),
  );
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
  { store, config }: LedgerSetting,
  { walletDevToken }: LedgerConfig,
  chain: LateChain,
): Promise<{ readonly token: string; readonly routes: readonly Route[] }> {
  const wallet = embeddedWallet({
    accounts: durableTexts(store, 'wallet-account'),
    secret: await durableSecret(store, 'wallet'),
    chainId: () => chain.id,
    keyWallet,
  });
  const made = Buffer.from(await durableSecret(store, 'wallet-token')).toString('base64url');
  const token = walletDevToken ?? made;
  return {
    token,
    routes: vaultRoutes(wallet, token, jsonBody({ limit: Math.min(config.http.bodyLimit, WALLET_BODY) })),
  };
}
