/** A mail as the development inbox shows it. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const FIRED = /(\d+) firings?$/;

/** A client of the policy API with a token of the demo tenant. */
export async function client(url: string) {
  const call = async <T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> => {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const answer = await response.text();
    return (answer === '' ? undefined : JSON.parse(answer)) as T;
  };
  const credentials = { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } };
  const { access } = await call<{ access: { token: { id: string } } }>('POST', '/identity/v2.0/tokens', {
    auth: credentials,
  });
  const signed = { 'x-auth-token': access.token.id };

  return {
    /** The new rule's id. */
    async addRule(serverId: string, rule: object): Promise<string> {
      const made = await call<{ ruleId: string }>(
        'POST',
        `/v1.0/demo/servers/${serverId}/rules`,
        rule,
        signed,
      );
      return made.ruleId;
    },
    /** Deletes a rule, its subscriptions with it. */
    async deleteRule(serverId: string, ruleId: string): Promise<void> {
      await call('DELETE', `/v1.0/demo/servers/${serverId}/rules/${ruleId}`, undefined, signed);
    },
    /** The new subscription's id. */
    async subscribe(serverId: string, ruleId: string, target: string): Promise<string> {
      const wanted = { ruleId, url: target };
      const path = `/v1.0/demo/servers/${serverId}/subscription`;
      return (await call<{ subscriptionId: string }>('POST', path, wanted, signed)).subscriptionId;
    },
    /** Sends one measurement, in percent, as a broker does; how often it made rules fire. */
    async measure(serverId: string, cpu: number): Promise<{ fired: number }> {
      const attributes = [{ name: 'cpuLoadPct', type: 'string', value: String(cpu) }];
      const contextElement = { id: serverId, type: 'host', isPattern: 'false', attributes };
      const body = {
        contextResponses: [{ contextElement, statusCode: { code: '200', reasonPhrase: 'OK' } }],
      };
      const { title } = await call<{ title: string }>('POST', `/v1.0/demo/servers/${serverId}`, body);
      return { fired: Number(FIRED.exec(title)?.[1] ?? 0) };
    },
    /** The newest mail to a recipient. */
    async mailTo(recipient: string): Promise<Mail | undefined> {
      const mails = await call<Mail[]>('GET', '/operator/inbox');
      return mails.find((mail) => mail.to === recipient);
    },
  };
}
