/** What a spec asks for: method, path, headers. */
export type Asked = readonly [method: string, path: string, headers?: Readonly<Record<string, string>>];

/** Numbers for which requests are made. */
export const KEYS = 60;
export const ENTITIES = '/ngsi-ld/v1/entities';

/** Requests that a load balancer sends to one node, made of a number. */
export const TOGETHER: Readonly<Record<string, (n: number) => readonly Asked[]>> = {
  'a server, with all that is below it': (n) => [
    ['POST', `/v1.0/acme/servers/web-${n}`],
    ['POST', `/acme/servers/web-${n}`],
    ['POST', `/acme/servers/web-${n}/`],
    ['POST', `/v1.0/acme/servers/web-${n}.json`],
    ['POST', `/v1.0/acme/servers/web%2D${n}?x=1`],
    ['GET', `/v1.0/acme/servers/web-${n}/rules/1/explain`],
    ['POST', `/v1.0/acme/servers/web-${n}/subscription`, { 'NGSILD-Tenant': `t-${n}` }],
  ],
  'servers of equal name, of two tenants, apart': (n) => [['POST', `/v1.0/t-${n}/servers/web-1`]],
  'a tenant, with what names no server': (n) => [
    ['GET', `/v1.0/t-${n}`],
    ['POST', `/v1.0/t-${n}/rules`],
    ['POST', `/v1.0/t-${n}/notify`],
    ['POST', `/t-${n}/notify`],
  ],
  'an entity, whoever asks for it': (n) => [
    ['GET', `${ENTITIES}/urn:ngsi-ld:Building:${n}`],
    ['GET', `${ENTITIES}/urn%3Angsi-ld%3ABuilding%3A${n}/`],
    ['PATCH', `${ENTITIES}/urn:ngsi-ld:Building:${n}/attrs`, { 'Wallet-Address': '0x1' }],
    ['GET', `/entity/urn:ngsi-ld:Building:${n}`, { 'NGSILD-Tenant': 'acme' }],
  ],
  'an account, of any tenant': (n) => [
    ['POST', ENTITIES, { 'Wallet-Address': `0xA${n}` }],
    ['POST', ENTITIES, { 'Wallet-Address': `0xa${n}`, 'NGSILD-Tenant': 'acme' }],
    ['POST', '/ngsi-ld/v1/entityOperations/upsert', { 'Wallet-Address': `0xA${n}` }],
  ],
  'a tenant of the ledger': (n) => [
    ['POST', ENTITIES, { 'NGSILD-Tenant': `t-${n}` }],
    ['GET', '/entity', { 'NGSILD-Tenant': `t-${n}` }],
  ],
};
