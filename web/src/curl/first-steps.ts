/** The lines of the first steps: a POSIX shell, curl and node. */
import { JSON_BODY, quoted } from './shell.js';

interface Filled {
  readonly publicUrl: string;
  readonly tenantId: string;
  /** The header that measurements need, or nothing. */
  readonly auth: string;
  /** True if the embedded identity service has the user `demo`. */
  readonly demoUser: boolean;
  /** True if a receiver on the machine of the service may be called. */
  readonly localReceiver: boolean;
}

/** Prints a member of the JSON that it reads. */
const member = (path: string): string => `node -p 'JSON.parse(require("fs").readFileSync(0)).${path}'`;

/** Returns the lines of each step, filled in for a service and a tenant. */
export function linesOf({ publicUrl, tenantId, auth, demoUser, localReceiver }: Filled) {
  const tenant = encodeURIComponent(tenantId);
  const head = `base=${quoted(publicUrl)} tenant=${quoted(tenant)} server=web-1`;
  return {
    token: demoUser
      ? `${head}
TOKEN=$(curl -sS $base/identity/v2.0/tokens ${JSON_BODY} \\
  -d '{"auth": {"tenantName": "demo", "passwordCredentials": {"username": "demo", "password": "demo"}}}' \\
  | ${member('access.token.id')})`
      : `${head}
TOKEN='a token of this tenant, from your identity service'`,
    rule: `RULE=$(curl -sS $base/v1.0/$tenant/servers/$server/rules -H "X-Auth-Token: $TOKEN" ${JSON_BODY} \\
  -d '{"name": "busy", "condition": {"cpu": {"value": 85, "operand": "greater"}},
       "action": {"actionName": "notify-email", "email": "ops@example.org", "body": "Add a machine, please."}}' \\
  | ${member('ruleId')})`,
    subscription: `${
      localReceiver
        ? `node -e 'require("http").createServer((q, s) => q.on("data", d => console.log(String(d))).on("end", () => s.end())).listen(9000)' &
URL=http://localhost:9000/scale`
        : `URL='https://the-address-of-your-receiver'`
    }
curl -sS $base/v1.0/$tenant/servers/$server/subscription -H "X-Auth-Token: $TOKEN" ${JSON_BODY} \\
  -d "{\\"ruleId\\": \\"$RULE\\", \\"url\\": \\"$URL\\"}"; echo`,
    facts: `for cpu in 88 91 93 95 97; do
  curl -sS $base/v1.0/$tenant/servers/$server ${JSON_BODY}${auth} \\
    -d '{"contextResponses": [{"statusCode": {"code": "200", "reasonPhrase": "OK"}, "contextElement": {
         "id": "'$server'", "type": "host", "isPattern": "false",
         "attributes": [{"name": "cpuLoadPct", "type": "string", "value": "'$cpu'"}]}}]}'
  echo
done`,
  };
}
