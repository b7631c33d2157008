import { type BodyOperations, createBodyOperations } from '../../../src/ledger/content/body-operations.js';
import type { Operation } from '../../../src/ledger/operation.js';
import type { Caller, Ledger, Page } from '../../../src/ledger/port.js';
import { ledgerGroups, ledgerBodies, ledgerRoutes } from '../../../src/ledger/http/routes.js';
import { notifyRoutes } from '../../../src/ledger/http/notify-routes.js';
import type { EdgeMiddleware } from '../../../src/http/context.js';
import type { NamedWallet, Wallets } from '../../../src/wallets/named-wallet.js';
import type { Wallet } from '../../../src/wallets/port.js';
import { type Edge, edges } from '../../http/edge.js';

/** Options of a scene. */
export interface Staging {
  readonly ledger?: Partial<Ledger>;
  readonly wallets?: Partial<Wallets>;
  readonly authenticated?: EdgeMiddleware;
  readonly bodyLimit?: number;
  readonly batchLimit?: number;
  /** Most characters of all long answers at one time. */
  readonly answerCharacters?: number;
  /** LEDGER_WAIT_S, ms. */
  readonly waitMs?: number;
}

/** The routes of the ledger over HTTP, with a ledger and wallets that record their calls. */
export interface Scene extends Edge {
  readonly recorded: { readonly operation: Operation; readonly by: Caller }[];
  /** Operations of notifications without a wallet. */
  readonly accepted: Operation[];
  readonly opened: NamedWallet[];
  readonly listed: { readonly page: Page; readonly tenant: string | undefined }[];
  readonly traced: {
    readonly entityId: string;
    readonly page: Partial<Page>;
    readonly tenant: string | undefined;
  }[];
  /** Sends a request; a body other than a text is sent as JSON. */
  readonly ask: (request: string, options?: Asking) => Promise<Response>;
}

export interface Asking {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** A wallet that never signs. */
export const silent: Wallet = {
  account: () => Promise.reject(new Error('asked for its account')),
  sign: () => Promise.reject(new Error('asked to sign')),
};

/** The headers of a caller with a wallet. */
export const WALLET = {
  'wallet-type': 'vault',
  'wallet-token': 's.sentinel',
  'wallet-address': 'http://vault.example/v1/ethereum/accounts/a',
};

/** Opens scenes for the specs of a `describe`, and closes each after its spec. */
export function scenes(): (staging?: Staging) => Promise<Scene> {
  const start = edges();
  const open: BodyOperations[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((operations) => operations.close()));
  });
  return async (staging = {}) => {
    const {
      bodyLimit = 1_048_576,
      batchLimit = 16_777_216,
      authenticated,
      answerCharacters = 2 ** 28,
      waitMs = 30_000,
    } = staging;
    const recorded: Scene['recorded'] = [];
    const opened: NamedWallet[] = [];
    const accepted: Scene['accepted'] = [];
    const listed: Scene['listed'] = [];
    const traced: Scene['traced'] = [];
    const ledger: Ledger = {
      record(operation, by) {
        recorded.push({ operation, by });
        return Promise.resolve(['{"transactionHash":', '"0x1"}']);
      },
      entities(page, tenant) {
        listed.push({ page, tenant });
        return Promise.resolve(piecesOf('{"offset":0,', '"records":[]}'));
      },
      transactions(entityId, page, tenant) {
        traced.push({ entityId, page, tenant });
        return Promise.resolve(piecesOf('{"txDetails":', '[]}'));
      },
      accept(operation) {
        accepted.push(operation);
        return Promise.resolve('4711');
      },
      operation: () => Promise.resolve(undefined),
      ...staging.ledger,
    };
    const wallets: Wallets = {
      open(named) {
        opened.push(named);
        return Promise.resolve(silent);
      },
      defaultWallet: silent,
      close: () => Promise.resolve(),
      ...staging.wallets,
    };
    const operations = createBodyOperations();
    open.push(operations);
    const bodies = ledgerBodies({ bodyLimit, batchLimit });
    const options = { ledger, wallets, operations, bodies, authenticated, waitMs, now: Date.now };
    const edge = await start([ledgerRoutes(options), notifyRoutes(options)], {
      groups: ledgerGroups,
      admission: { maxInFlight: 1000, exempt: [], answerCharacters },
    });
    const ask: Scene['ask'] = (request, { headers = {}, body } = {}) => {
      const [method = '', path = ''] = request.split(' ');
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      const all = { ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
      return fetch(edge.url + path, { method, headers: all, ...(sent === undefined ? {} : { body: sent }) });
    };
    return { ...edge, recorded, accepted, opened, listed, traced, ask };
  };
}

/** Text in pieces, as from a store. */
export async function* piecesOf(...pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
}

/** An error of the ledger. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly [member: string]: unknown;
}

/** The problem in a response. */
export async function problemIn(response: Response): Promise<Problem> {
  return (await response.json()) as Problem;
}
