/** The tenant of the examples, by its name. */
export const TENANT = 'demo';
export const TENANT_ID = '0b2f3c4d5e6f708192a3b4c5d6e7f809';
/** The server of the examples. */
export const SERVER = 'web-1';
/** Ids as they are written in examples. */
export const GENERIC_RULE = '8f0c5a1e7d2b4c6f9a3e5b71';
export const SERVER_RULE = '2b7e151628aed2a6abf71588';
export const SUBSCRIPTION = '5c3d9f20a4b6e8170c2d4f6a';
/** The delivery of the only firing. */
export const DELIVERY = 'msg_01a2079407a94b8126cfb997ec65cc69';
/** The receiver of the examples' webhooks. */
export const RECEIVER = 'http://localhost:9000/hook';

export const tenant = { tenantId: TENANT };
export const server = { ...tenant, serverId: SERVER };

/** A rule of one server that scales up. */
export const busy = {
  name: 'busy',
  condition: { cpu: { value: 85, operand: 'greater' }, mem: { value: 70, operand: 'greater equal' } },
  action: { actionName: 'notify-scale', operation: 'scaleUp' },
};

/** A rule of the tenant that sends an e-mail. */
export const full = {
  name: 'disk full',
  condition: { hdd: { value: 90, operand: 'greater' } },
  action: { actionName: 'notify-email', email: 'ops@example.com', body: 'The disk is nearly full.' },
};

/** A notification of NGSI-10 with one element for each pair of values. */
export function notification(...values: readonly (readonly [cpu: number, mem: number])[]): object {
  return {
    contextResponses: values.map(([cpu, mem]) => ({
      contextElement: {
        id: SERVER,
        type: 'host',
        isPattern: 'false',
        attributes: [
          { name: 'cpuLoadPct', type: 'string', value: String(cpu) },
          { name: 'usedMemPct', type: 'string', value: String(mem) },
        ],
      },
      statusCode: { code: '200', reasonPhrase: 'OK' },
    })),
  };
}
