import type { Hex } from '../../chain/port.js';
import type { Deliveries } from '../deliveries.js';
import type { MirrorMessage } from '../port.js';

/** Which vocabulary the mirrored entity is written in: the data model that readers of such receipts know. */
const CONTEXT =
  'https://raw.githubusercontent.com/smart-data-models/dataModel.DistributedLedgerTech/master/context.jsonld';

/** The tenant that operators see where a transaction has none: NGSI-LD's word for a request without the header. */
const DEFAULT_TENANT = 'default';

/** A receipt that is to be mirrored, and whose it is. */
export interface Mirrored {
  /** BROKER_MIRROR_URL: the broker's address, below which `/ngsi-ld/v1/entities` lies. */
  readonly url: string;
  /** As it is answered. */
  readonly receipt: {
    readonly transactionHash: Hex;
    readonly additionalInformation?: Readonly<Record<string, unknown>> | undefined;
    readonly [field: string]: unknown;
  };
  /** What the transaction is listed under: at least one id; more than one for a batch. */
  readonly entities: readonly string[];
  /** The NGSILD-Tenant that the operation came with. */
  readonly tenant: string | undefined;
}

/**
 * The NGSI-LD entity that stands for a receipt in a broker (contract, Mirror): a `DLTtxReceipt` with the members that
 * CanisMajor gives it. `refEntity` is a Relationship to the entity, and for a batch a Property that lists its entities;
 * `TxReceipts` has the receipt, without the proofs of a batch, which outgrow what a broker takes; `retrievalQuery` has
 * the query, where the transaction records one.
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
 * Has a receipt mirrored; resolves when that is durable. Its delivery is `mirror-{transactionHash}`: the same
 * transaction again changes nothing. `now` is in ms since the epoch.
 */
export async function handOverMirror(deliveries: Deliveries, mirrored: Mirrored, now: number): Promise<void> {
  const { transactionHash } = mirrored.receipt;
  const about = { tenant: mirrored.tenant ?? DEFAULT_TENANT, transactionHash };
  const message = mirrorMessage(mirrored);
  await deliveries.handOver(`mirror-${transactionHash}`, { type: 'send', now, message, about });
}
