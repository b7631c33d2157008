import type { Hex } from '../../chain/port.js';
import type { Deliveries } from '../deliveries.js';
import { messageId } from '../message-id.js';
import type { Answer, MirrorMessage, Sender } from '../port.js';
import { httpSender, type HttpSenderOptions } from './http-sender.js';
import { webhookAnswer, type HttpAnswer } from './webhook-answer.js';

/** The vocabulary of the mirrored entity: the smart data model of such receipts. */
const CONTEXT =
  'https://raw.githubusercontent.com/smart-data-models/dataModel.DistributedLedgerTech/master/context.jsonld';

/** The tenant in the operators' view of a transaction without one. */
const DEFAULT_TENANT = 'default';

/** A receipt to be mirrored. */
export interface Mirrored {
  /** BROKER_MIRROR_URL: the broker's address, below which `/ngsi-ld/v1/entities` lies. */
  readonly url: string;
  /** As in the answer of L1. */
  readonly receipt: {
    readonly transactionHash: Hex;
    readonly additionalInformation?: Readonly<Record<string, unknown>> | undefined;
    readonly [field: string]: unknown;
  };
  /** When the transaction was signed, ms since the epoch: the same each time that its receipt is mirrored. */
  readonly signedAt: number;
  /** The entities of the transaction: one, or those of a batch. */
  readonly entities: readonly string[];
  /** The NGSILD-Tenant of the operation. */
  readonly tenant: string | undefined;
}

/**
 * Returns the message with the entity of a receipt (docs/ledger-api.md, "Mirror"): a `DLTtxReceipt` with the members of
 * CanisMajor.
 * `refEntity` is a Relationship to the entity, for a batch a Property with the list of its entities. `TxReceipts` holds the
 * receipt without the proofs of a batch, which are too large for a broker. `retrievalQuery` holds the query of L2 or L4.
 */
export function mirrorMessage({ url, receipt, entities, tenant }: Mirrored): MirrorMessage {
  const { entities: _proofs, ...information } = receipt.additionalInformation ?? {};
  const { query } = information as { readonly query?: unknown };
  const ids = [...new Set(entities)];
  const body = JSON.stringify({
    '@context': CONTEXT,
    id: `urn:ngsi-ld:dlttxreceipt:${receipt.transactionHash}`,
    type: 'DLTtxReceipt',
    refEntity: ids.length === 1 ? { type: 'Relationship', object: ids[0] } : { type: 'Property', value: ids },
    TxReceipts: { type: 'Property', value: { ...receipt, additionalInformation: information } },
    ...(query === undefined ? {} : { retrievalQuery: { type: 'Property', value: query } }),
  });
  return { channel: 'mirror', url: `${url.replace(/\/+$/, '')}/ngsi-ld/v1/entities`, body, tenant };
}

/**
 * Makes a delivery of a receipt. Resolves when that is durable. The same transaction again has the same id and
 * changes nothing. `now` is in ms since the epoch.
 */
export async function dispatchMirror(deliveries: Deliveries, mirrored: Mirrored, now: number): Promise<void> {
  const { transactionHash } = mirrored.receipt;
  const about = { tenant: mirrored.tenant ?? DEFAULT_TENANT, transactionHash };
  const message = mirrorMessage(mirrored);
  await deliveries.dispatch(mirrorId(mirrored), { type: 'dispatch', now, message, about });
}

/** End of the ids of the deliveries of receipts. */
const MIRROR_END = '_mirror';

/** Returns the id of the delivery of a receipt. */
function mirrorId({
  receipt: { transactionHash },
  signedAt,
}: Pick<Mirrored, 'receipt' | 'signedAt'>): string {
  return messageId(signedAt, transactionHash) + MIRROR_END;
}

/** True for the id of the delivery of a receipt. */
export function isMirrorId(id: string): boolean {
  return id.endsWith(MIRROR_END);
}

/**
 * Creates the entities of receipts in an NGSI-LD broker (ETSI GS CIM 009, "Create Entity"). The answer is `delivered` for
 * a 2xx and for a 409 with `AlreadyExists`, which follows an attempt whose answer was lost; otherwise as for webhooks.
 * `close` aborts attempts without a status: their answer is `retry`.
 */
export function mirrorSender(options: HttpSenderOptions): Sender<MirrorMessage> {
  return httpSender(options, {
    judge: mirrorAnswer,
    urlOf: ({ url }) => url,
    requestOf: (_id, { body, tenant }) => ({
      body,
      headers: {
        // The context is in the body: a Link is not allowed with it.
        'content-type': 'application/ld+json',
        accept: 'application/json',
        ...(tenant === undefined ? {} : { 'ngsild-tenant': tenant }),
      },
    }),
  });
}

/** Any other 409 is a conflict of registrations: a repeat cannot help. */
function mirrorAnswer(received: HttpAnswer, now: number): Answer {
  const { status, excerpt, tookMs } = received;
  if (status !== 409 || !excerpt.includes('AlreadyExists')) return webhookAnswer(received, now);
  return { result: 'delivered', detail: `409 in ${Math.round(tookMs)} ms: it was there already` };
}
