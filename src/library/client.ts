import createClient, { type Client, type ClientOptions } from 'openapi-fetch';

/** The service, and who asks it. */
export interface MirzamClientOptions extends Omit<ClientOptions, 'baseUrl'> {
  /** The address of the service. */
  readonly url: string;
  /** A token of a tenant, or OPERATOR_TOKEN. */
  readonly token?: string;
}

/**
 * Makes a client of the operations in /openapi.json, by openapi-fetch: `client.GET('/v1.0/{tenantId}', {…})` resolves with
 * `data` or `error`, and `response`. The package declares `Paths` as those of this release.
 */
export function mirzamClient<Paths extends object>({
  url,
  token,
  headers,
  ...options
}: MirzamClientOptions): Client<Paths> {
  const client = createClient<Paths>({
    ...options,
    baseUrl: url.replace(/\/+$/, ''),
    ...(headers === undefined ? {} : { headers }),
  });
  if (token !== undefined) {
    client.use({
      onRequest({ request }) {
        request.headers.set('authorization', `Bearer ${token}`);
        return request;
      },
    });
  }
  return client;
}
