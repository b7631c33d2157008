import type { HttpClient } from './http-client.js';

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

/** Verdict of the chain on some content. */
export interface Verdict {
  readonly verified: boolean;
  readonly reason?: string;
  readonly from: string;
  readonly blockNumber: number | null;
  readonly recordedAt: string | null;
}

/** Content, and the transaction claimed to have recorded it. */
export type Claim = { readonly transactionHash: string } & (
  | { readonly entity: Entity; readonly proof?: readonly string[] }
  | { readonly entityId: string; readonly fragment: object }
);

const ENTITIES = '/ngsi-ld/v1/entities/';

/** Creates a client of the ledger API. `headers` name its wallet; without them the default account signs. */
export function ledgerClient(request: HttpClient, wallet: Readonly<Record<string, string>>) {
  return {
    create(entity: Entity): Promise<Receipt> {
      return request('POST', ENTITIES, entity, wallet);
    },
    update(entityId: string, fragment: object): Promise<Receipt> {
      return request('POST', `${ENTITIES}${encodeURIComponent(entityId)}/attrs`, fragment, wallet);
    },
    /** Records all entities in one transaction. */
    upsert(entities: readonly Entity[]): Promise<Receipt> {
      return request('POST', '/ngsi-ld/v1/entityOperations/upsert', entities, wallet);
    },
    /** Returns the receipts of an entity, newest last. */
    async transactions(entityId: string): Promise<readonly Receipt[]> {
      const answer = await request<{ txDetails: Receipt[] }>(
        'GET',
        `/entity/${encodeURIComponent(entityId)}`,
      );
      return answer.txDetails;
    },
    verify(claim: Claim): Promise<Verdict> {
      return request('POST', '/ledger/verify', claim);
    },
  };
}

/** Creates the account in the development wallet unless it exists. Returns the headers that name it. */
export async function developmentAccount(
  request: HttpClient,
  url: string,
  name: string,
  token: string,
): Promise<Readonly<Record<string, string>>> {
  const path = `/vault/v1/ethereum/accounts/${name}`;
  await request('POST', path, {}, { 'x-vault-token': token });
  return { 'wallet-type': 'vault', 'wallet-address': url + path, 'wallet-token': token };
}
