import { keccak_256 } from '@noble/hashes/sha3.js';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import { anyId, building, ENTITIES, openLedger, receiptIn, sharedLedger, UPSERT } from './scene.js';
import { expectReceipt, LOG_FIELDS, RECEIPT_FIELDS } from './receipt-tables.js';

const keccak = (text: string): string => `0x${Buffer.from(keccak_256(Buffer.from(text))).toString('hex')}`;
const canonicalHash = (value: object): string => keccak(canonicalize(value)!);

/** Each row of the parameters of L2 (ledger §4), with a value; georel, geometry and coordinates go together. */
const QUERIES = [
  { id: 'urn:ngsi-ld:Building:1,urn:ngsi-ld:Building:2' },
  { idPattern: '^urn:ngsi-ld:Building:[0-9]+$' },
  { type: 'Building,Unicorn' },
  { attrs: 'name,color' },
  { q: 'name=="The big red barn"&color==red' },
  { georel: 'near;maxDistance==2000', geometry: 'Point', coordinates: '[13.3986,52.5547]' },
  {
    georel: 'within',
    geometry: 'Polygon',
    coordinates: '[[[0,0],[1,0],[1,1],[0,0]]]',
    geoproperty: 'location',
  },
  { csf: 'endpoint==x' },
  { limit: 1 },
  { limit: 100 },
  { offset: 0 },
  { offset: 7, limit: 20 },
  { options: 'keyValues' },
  { options: 'sysAttrs' },
] as const;

/** Each row of those of L4. */
const RETRIEVALS = [
  { attrs: 'name,color' },
  { type: 'Building' },
  { options: 'keyValues' },
  { options: 'sysAttrs' },
];

const search = (query: object): string =>
  new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, `${value}`] as [string, string]),
  ).toString();

describe('the tables of the document', () => {
  const ledger = sharedLedger();

  describe('fields of a receipt', () => {
    let receipt: Readonly<Record<string, unknown>>;
    before(async () => {
      receipt = receiptIn(await ledger().ask(`POST ${ENTITIES}`, building())) as never;
    });

    it('are those of the document and no other', () => expectReceipt(receipt));
    for (const [name, isFit] of Object.entries(RECEIPT_FIELDS)) {
      it(name, () => {
        expect(isFit(receipt[name]), JSON.stringify(receipt[name])).to.equal(true);
      });
    }
    for (const [name, isFit] of Object.entries(LOG_FIELDS)) {
      it(`logs: ${name}`, () => {
        const [log] = receipt['logs'] as readonly Readonly<Record<string, unknown>>[];
        expect(isFit(log![name]), JSON.stringify(log![name])).to.equal(true);
      });
    }

    it('are those of the node of the chain', async () => {
      const raw = (await ledger().anvil.rpc('eth_getTransactionReceipt', [
        receipt['transactionHash'],
      ])) as Record<string, string>;
      for (const name of ['blockNumber', 'cumulativeGasUsed', 'gasUsed'])
        expect([receipt[name], receipt[`${name}Raw`]]).to.deep.equal([Number(raw[name]), raw[name]]);
      for (const name of ['blockHash', 'from', 'to', 'status', 'logsBloom'])
        expect(receipt[name], name).to.equal(raw[name]);
      expect(receipt['to']).to.equal(ledger().contract);
    });
  });

  describe('parameters of Query entities', () => {
    for (const query of QUERIES) {
      it(Object.keys(query).join(', '), async () => {
        const user = anyId('User');
        const asked = `GET ${ENTITIES}?${search(query)}`;
        const receipt = receiptIn(await ledger().ask(asked, undefined, { 'Related-Entity': user }));
        expect(receipt.additionalInformation).to.deep.equal({
          ...query,
          operation: 'query',
          assetId: keccak(user),
          hash: canonicalHash(query),
          canonicalization: 'RFC8785',
          query,
        });
        expect(receipt.logs[0]!.topics.slice(1)).to.deep.equal([keccak(user), canonicalHash(query)]);
      });
    }
  });

  describe('parameters of Retrieve entity', () => {
    for (const query of RETRIEVALS) {
      it(Object.entries(query).join(), async () => {
        const entityId = anyId();
        const receipt = receiptIn(
          await ledger().ask(`GET /ngsi-ld/v1/entities/${entityId}?${search(query)}`),
        );
        const hashed = { ...query, entityId };
        const { hash, assetId, query: said } = receipt.additionalInformation;
        expect({ hash, assetId, said }).to.deep.equal({
          hash: canonicalHash(hashed),
          assetId: keccak(entityId),
          said: hashed,
        });
      });
    }
  });

  describe('headers', () => {
    it('Link is kept with the receipt of every operation, and hashed with those that have no body', async () => {
      const link = '<https://example.org/c.jsonld>; rel="http://www.w3.org/ns/json-ld#context"';
      const id = anyId();
      const one = `/ngsi-ld/v1/entities/${id}`;
      const asked = [
        [`POST ${ENTITIES}`, building(id)],
        [`POST ${one}/attrs`, { n: 1 }],
        [`POST ${UPSERT}`, [building(id)]],
        [`GET ${one}`, undefined],
        [`GET ${ENTITIES}`, undefined],
      ] as const;
      for (const [request, body] of asked) {
        const { additionalInformation: said } = receiptIn(
          await ledger().ask(request, body, { Link: link, 'Related-Entity': id }),
        );
        expect(said['link'], request).to.equal(link);
        if (body === undefined) expect(said['query']).to.have.property('link', link);
        else if (!Array.isArray(body)) expect(said.hash).to.equal(canonicalHash(body));
      }
    });

    it('Wallet-Type, Wallet-Token, Wallet-Address name who signs, for each operation', async () => {
      const signer = await ledger().account();
      const id = anyId();
      const one = `/ngsi-ld/v1/entities/${id}`;
      const asked = [
        [`POST ${ENTITIES}`, building(id)],
        [`GET ${ENTITIES}?type=Building`, undefined],
        [`POST ${one}/attrs`, { n: 1 }],
        [`GET ${one}`, undefined],
        [`POST ${UPSERT}?options=replace`, [building(id)]],
        [`POST ${UPSERT}?options=update`, [building(id)]],
      ] as const;
      for (const [request, body] of asked) {
        for (const type of ['vault', 'Vault', 'VAULT']) {
          const headers = { ...signer.headers, 'Wallet-Type': type };
          expect(receiptIn(await ledger().ask(request, body, headers)).from).to.equal(signer.address);
        }
      }
      expect(await ledger().nonceOf(signer.address)).to.equal(18);
      const names = (await ledger().trace(id)).map((it) => it.additionalInformation.operation);
      expect(names.filter((_, i) => i % 3 === 0)).to.deep.equal([
        'create',
        'update',
        'retrieve',
        'replace',
        'upsert',
      ]);
    });

    it('Related-Entity: a query without it is listed under the default requestor', async () => {
      const receipt = receiptIn(await ledger().ask(`GET ${ENTITIES}?type=Unicorn`));
      const listed = await ledger().trace('urn:ngsi-ld:requestor:default');
      expect(listed.at(-1)).to.deep.equal(receipt);
    });
  });

  it('a slash at the end of any path changes nothing', async () => {
    const id = anyId();
    const asked = [
      ['POST /ngsi-ld/v1/entities', building(id)],
      ['GET /ngsi-ld/v1/entities', undefined],
      [`POST /ngsi-ld/v1/entities/${id}/attrs`, { n: 1 }],
      [`GET /ngsi-ld/v1/entities/${id}`, undefined],
      ['POST /ngsi-ld/v1/entityOperations/upsert', [building(id)]],
    ] as const;
    const hashes: string[] = [];
    for (const [request, body] of asked) {
      for (const end of ['', '/'])
        hashes.push(receiptIn(await ledger().ask(request + end, body)).additionalInformation.hash);
    }
    expect(hashes.filter((_, i) => i % 2 === 0)).to.deep.equal(hashes.filter((_, i) => i % 2 === 1));
    for (const path of ['/entity', `/entity/${id}`])
      expect((await ledger().ask(`GET ${path}/`)).text).to.equal((await ledger().ask(`GET ${path}`)).text);
  });

  describe('entity ids', () => {
    for (const id of [
      'urn:ngsi-ld:Building:farm-001',
      'http://example.org/a/b/c',
      'https://example.org:8443/x?y=1',
      'did:example:123#key-1',
      'uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      'urn:ngsi-ld:Straße:Köln',
      'urn:ngsi-ld:Data:file.json',
      'urn:a:b%20c',
    ]) {
      it(`${id}, percent-encoded and not`, async () => {
        const raw = id.replaceAll('%', '%25').replaceAll('?', '%3F').replaceAll('#', '%23');
        receiptIn(await ledger().ask(`POST ${ENTITIES}`, building(id)));
        for (const written of [raw, encodeURIComponent(id)]) {
          for (const end of ['', '/']) {
            receiptIn(await ledger().ask(`GET /ngsi-ld/v1/entities/${written}${end}`));
            receiptIn(await ledger().ask(`PATCH /ngsi-ld/v1/entities/${written}/attrs${end}`, { n: 1 }));
          }
        }
        for (const written of [raw, encodeURIComponent(id), `${raw}/`]) {
          const { body } = await ledger().ask(`GET /entity/${written}`);
          expect(body['entityId']).to.equal(id);
          expect(body['txDetails']).to.have.length(9);
        }
      });
    }
  });
});

describe('the chain that comes with the service', () => {
  it('runs without any setting, keeps all records, and signs with the default account', async () => {
    const ledger = await openLedger({ CHAIN_RPC_URL: '', CHAIN_CONTRACT: '' });
    try {
      const entity = building();
      const receipt = receiptIn(await ledger.ask(`POST ${ENTITIES}`, entity));
      expectReceipt(receipt);
      expect(await ledger.trace(entity.id)).to.deep.equal([receipt]);
      const { transactionHash } = receipt;
      const { body } = await ledger.ask('POST /ledger/verify', { transactionHash, entity });
      expect(body).to.include({ verified: true, from: receipt.from });
    } finally {
      await ledger.close();
    }
  });
});
