import type { OpenApiOperation } from '../open-api.js';
import { shellQuoted } from '../../untrusted/text.js';
import { SERVICE } from '../policy/examples.js';

const FORM = 'application/x-www-form-urlencoded';

/** Placeholders for the reader's own credentials, by way of access. */
const SECRETS: Readonly<Record<string, string>> = {
  tenantToken: '-H "X-Auth-Token: $TOKEN"',
  operatorToken: '-H "Authorization: Bearer $OPERATOR_TOKEN"',
  vaultToken: '-H "X-Vault-Token: $VAULT_TOKEN"',
  session: '-b "$COOKIE"',
};

/** Returns the command that sends an example. */
export function curlLine(method: string, path: string, operation: OpenApiOperation, example: string): string {
  const given = operation.parameters.flatMap((parameter) => {
    const value = parameter.examples?.[example]?.value as string | number | undefined;
    return value === undefined ? [] : [{ ...parameter, value: String(value) }];
  });
  const target = given
    .filter((one) => one.in === 'path')
    .reduce((text, { name, value }) => text.replace(`{${name}}`, value), path);
  const query = new URLSearchParams(
    given.filter((one) => one.in === 'query').map(({ name, value }): [string, string] => [name, value]),
  );
  const address = query.size === 0 ? target : `${target}?${query.toString()}`;
  const content = Object.entries(operation.requestBody?.content ?? {})[0];
  const body = content?.[1].examples?.[example]?.value;
  const secret = SECRETS[Object.keys(operation.security[0] ?? {})[0] ?? ''];
  const parts = [
    `curl -s${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`}`,
    shellQuoted(`${SERVICE}${address}`),
    secret,
    ...given
      .filter((one) => one.in === 'header')
      .map(({ name, value }) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [
          `-H ${shellQuoted(`Content-Type: ${content![0]}`)}`,
          `-d ${shellQuoted(sentAs(content![0], body))}`,
        ]),
  ];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** Returns a body as text of its media type. */
function sentAs(type: string, body: unknown): string {
  return type === FORM
    ? new URLSearchParams(body as Record<string, string>).toString()
    : JSON.stringify(body);
}
