/** The tenant of the examples, by its name. */
export const TENANT = 'demo';
export const TENANT_ID = '0b2f3c4d5e6f708192a3b4c5d6e7f809';
/** The server of the examples. */
export const SERVER = 'web-1';
/** A second server, whose disk gets full. */
export const FULL_SERVER = 'www-1';
/** Ids as they are written in examples. */
export const GENERIC_RULE = '8f0c5a1e7d2b4c6f9a3e5b71';
export const SERVER_RULE = '2b7e151628aed2a6abf71588';
export const SUBSCRIPTION = '5c3d9f20a4b6e8170c2d4f6a';
export const FULL_SUBSCRIPTION = '6d4e0a31b5c7f928103d5e7b';
/** The delivery of the firing of `busy`. */
export const DELIVERY = 'msg_01a2079407a94b8126cfb997ec65cc69';
/** The delivery of the webhook that the full disk fired. */
export const FULL_DELIVERY = 'msg_01a20794a97b8126cfb997ec65cc69d3';
/** The id of the receiver that refuses the examples' webhooks. */
export const RECEIVER_ID = 'rcv_7c1d9e0f3a5b2846';
/** The signed part of a mail's link that mutes its subscription. */
export const MUTE_TOKEN = 'WzE3OTg3NjE2MDBd.c2lnbmF0dXJlb2ZtdXRl';
/** The service of the examples. */
export const SERVICE = 'http://localhost:8080';
/** The time of the examples. */
export const EXAMPLE_TIME = '2026-01-31T12:00:00.000Z';
/** The receiver of the examples' webhooks. It refuses them. */
export const RECEIVER = 'http://localhost:9000/hook';
/** The receiver that takes what it gets. */
export const TAKING_RECEIVER = 'http://localhost:9000/taken';

/** The refusal of a notification without a measurement. */
export const NOTHING_MEASURED =
  'body: no element measures anything: at least one attribute of cpuLoadPct, usedMemPct, netLoadPct, freeSpacePct is needed';

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
