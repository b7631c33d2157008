import type { HttpClient } from './http-client.js';

/** A mail in the development inbox. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const FIRED = /(\d+) firings?$/;

/** Creates a client of the policy API with a token of the demo tenant. */
export async function policyClient(request: HttpClient) {
  const credentials = { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } };
  const { access } = await request<{ access: { token: { id: string } } }>('POST', '/identity/v2.0/tokens', {
    auth: credentials,
  });
  const signed = { 'x-auth-token': access.token.id };

  return {
    /** Creates a rule. Returns its id. */
    async addRule(serverId: string, rule: object): Promise<string> {
      const made = await request<{ ruleId: string }>(
        'POST',
        `/v1.0/demo/servers/${serverId}/rules`,
        rule,
        signed,
      );
      return made.ruleId;
    },
    /** Deletes a rule with its subscriptions. */
    async deleteRule(serverId: string, ruleId: string): Promise<void> {
      await request('DELETE', `/v1.0/demo/servers/${serverId}/rules/${ruleId}`, undefined, signed);
    },
    /** Creates a subscription. Returns its id. */
    async subscribe(serverId: string, ruleId: string, target: string): Promise<string> {
      const wanted = { ruleId, url: target };
      const path = `/v1.0/demo/servers/${serverId}/subscription`;
      return (await request<{ subscriptionId: string }>('POST', path, wanted, signed)).subscriptionId;
    },
    /** Sends measurements, in percent, in one notification, as a broker does. Returns the number of firings. */
    async measure(serverId: string, cpus: readonly number[]): Promise<{ fired: number }> {
      const contextResponses = cpus.map((cpu) => {
        const attributes = [{ name: 'cpuLoadPct', type: 'string', value: String(cpu) }];
        const contextElement = { id: serverId, type: 'host', isPattern: 'false', attributes };
        return { contextElement, statusCode: { code: '200', reasonPhrase: 'OK' } };
      });
      const path = `/v1.0/demo/servers/${serverId}`;
      const { title } = await request<{ title: string }>('POST', path, { contextResponses });
      return { fired: Number(FIRED.exec(title)?.[1] ?? 0) };
    },
    /** Returns the newest mail to a recipient. */
    async mailTo(recipient: string): Promise<Mail | undefined> {
      const mails = await request<Mail[]>('GET', '/operator/inbox');
      return mails.find((mail) => mail.to === recipient);
    },
  };
}
