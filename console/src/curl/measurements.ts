/** The lines that send measurements of a server, as its context broker does: a POSIX shell and curl. */
import type { ServerView, SessionView } from '../../../src/console/shapes.js';
import { serverPath } from '../forms/policy-paths.js';
import { JSON_BODY, quoted } from './shell.js';

type Service = Pick<SessionView, 'publicUrl' | 'measurements'>;

type Condition = ServerView['rules'][number]['condition'];

/** Attributes of the broker's format, and what they say of a percentage that a condition compares. */
const ATTRIBUTES: Readonly<Record<string, readonly [name: string, valueOf: (used: number) => number]>> = {
  cpu: ['cpuLoadPct', (used) => used],
  mem: ['usedMemPct', (used) => used],
  net: ['netLoadPct', (used) => used],
  hdd: ['freeSpacePct', (used) => 100 - used],
};

/** The header that measurements need, with a place for its secret. */
export const AUTH_HEADERS: Readonly<Record<Service['measurements']['auth'], string>> = {
  open: '',
  token: ` -H "X-Auth-Token: $TOKEN"`,
  key: ` -H "X-Facts-Key: $FACTS_KEY"`,
};

/** Returns lines that fill the windows of a server with values for which its first rule holds. */
export function measurementLines({ publicUrl, measurements }: Service, server: ServerView): string {
  const { tenantId, serverId, windowsize, rules } = server;
  const address = serverPath(tenantId, serverId);
  const condition = rules[0]?.condition ?? { cpu: { operand: 'greater', value: 85 } };
  const isFree = measurements.hdd === 'free';
  const attributes = Object.entries(samplesOf(condition)).map(([metric, used]) => {
    const [name, valueOf] = ATTRIBUTES[metric]!;
    return JSON.stringify({
      name,
      type: 'string',
      value: String(rounded(isFree && metric === 'hdd' ? used : valueOf(used))),
    });
  });
  const body = `{"contextResponses": [{"statusCode": {"code": "200", "reasonPhrase": "OK"}, "contextElement": {
  "id": ${JSON.stringify(serverId)}, "type": "host", "isPattern": "false",
  "attributes": [${attributes.join(', ')}]}}]}`;
  return `for i in $(seq ${windowsize}); do
  curl -sS ${quoted(publicUrl + address)} ${JSON_BODY}${AUTH_HEADERS[measurements.auth]} -d ${quoted(body)}
  echo
done`;
}

/** Returns a value of each metric of a condition for which it holds, where there is one. */
function samplesOf(condition: Condition): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(condition).map(([metric, { operand, value }]) => [
      metric,
      operand.startsWith('greater') ? (value + 100) / 2 : value / 2,
    ]),
  );
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
