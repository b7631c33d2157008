/** The lines that send measurements of a server, as its context broker does: a POSIX shell and curl. */
import type { ServerRuleView, ServerView, SessionView } from '../../../src/console/shapes.js';
import { serverPath } from '../forms/policy-paths.js';
import { samplesOf } from './samples.js';
import { JSON_BODY, quoted } from './shell.js';

type Service = Pick<SessionView, 'publicUrl' | 'measurements'>;

/** Attributes of the broker's format, and what they say of a percentage that a condition compares. */
const ATTRIBUTES: Readonly<Record<string, readonly [name: string, valueOf: (used: number) => number]>> = {
  cpu: ['cpuLoadPct', (used) => used],
  mem: ['usedMemPct', (used) => used],
  net: ['netLoadPct', (used) => used],
  hdd: ['freeSpacePct', (used) => Number((100 - used).toFixed(10))],
};

/** The header that measurements need, with a place for its secret. */
export const AUTH_HEADERS: Readonly<Record<Service['measurements']['auth'], string>> = {
  open: '',
  token: ` -H "X-Auth-Token: $TOKEN"`,
  key: ` -H "X-Facts-Key: $FACTS_KEY"`,
};

/** Returns values for which a rule of a server holds, by metric; undefined if there are none. */
export function samplesFor(
  { windowsize }: Pick<ServerView, 'windowsize'>,
  rule: Pick<ServerRuleView, 'condition'> | undefined,
) {
  return rule && samplesOf(rule.condition, windowsize);
}

/** Returns lines that fill the windows of a server with values for which one of its rules holds, if there are such values. */
export function measurementLines(
  { publicUrl, measurements }: Service,
  server: ServerView,
  rule: Pick<ServerRuleView, 'condition'> | undefined,
): string {
  const { tenantId, serverId, windowsize } = server;
  const address = serverPath(tenantId, serverId);
  const isFree = measurements.hdd === 'free';
  const attributes = Object.entries(samplesFor(server, rule) ?? { cpu: 92.5 }).map(([metric, used]) => {
    const [name, valueOf] = ATTRIBUTES[metric] ?? [metric, (value: number) => value];
    return JSON.stringify({
      name,
      type: 'string',
      value: String(isFree && metric === 'hdd' ? used : valueOf(used)),
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
