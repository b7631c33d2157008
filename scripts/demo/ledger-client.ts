import type { Ask } from './ask.js';

/** An NGSI-LD entity. */
export interface Entity {
  readonly id: string;
  readonly type: string;
  readonly [attribute: string]: unknown;
}

/** The members of a receipt that the demonstration shows. */
export interface Receipt {
  readonly transactionHash: string;
  readonly blockNumber: number;
  readonly gasUsed: number;
  readonly from: string;
  readonly to: string;
  readonly additionalInformation: {
    readonly operation: string;
    readonly assetId: string;
    readonly hash: string;
    readonly entities?: readonly { readonly entityId: string; readonly proof: readonly string[] }[];
  };
}

/** What the chain says of some content. */
export interface Verdict {
  readonly verified: boolean;
  readonly reason?: string;
  readonly from: string;
  readonly blockNumber: number | null;
  readonly recordedAt: string | null;
}

/** Content, and the transaction that is to have recorded it. */
export type Claim = { readonly transactionHash: string } & (
  | { readonly entity: Entity; readonly proof?: readonly string[] }
  | { readonly entityId: string; readonly fragment: object }
);

const ENTITIES = '/ngsi-ld/v1/entities/';

/** A client of the ledger API whose wallet these headers name; without any, the service's default account signs. */
export function ledgerClient(ask: Ask, wallet: Readonly<Record<string, string>>) {
  return {
    create(entity: Entity): Promise<Receipt> {
      return ask('POST', ENTITIES, entity, wallet);
    },
    update(entityId: string, fragment: object): Promise<Receipt> {
      return ask('POST', `${ENTITIES}${encodeURIComponent(entityId)}/attrs`, fragment, wallet);
    },
    /** Records all of them in one transaction. */
    upsert(entities: readonly Entity[]): Promise<Receipt> {
      return ask('POST', '/ngsi-ld/v1/entityOperations/upsert', entities, wallet);
    },
    /** The receipts of an entity, newest last. */
    async transactions(entityId: string): Promise<readonly Receipt[]> {
      const answer = await ask<{ txDetails: Receipt[] }>('GET', `/entity/${encodeURIComponent(entityId)}`);
      return answer.txDetails;
    },
    verify(claim: Claim): Promise<Verdict> {
      return ask('POST', '/ledger/verify', claim);
    },
  };
}

/** Makes the account of this name in the development wallet, where it is not there yet; the headers that name it. */
export async function developmentAccount(
  ask: Ask,
  url: string,
  name: string,
  token: string,
): Promise<Readonly<Record<string, string>>> {
  const path = `/vault/v1/ethereum/accounts/${name}`;
  await ask('POST', path, {}, { 'x-vault-token': token });
  return { 'wallet-type': 'vault', 'wallet-address': url + path, 'wallet-token': token };
}
