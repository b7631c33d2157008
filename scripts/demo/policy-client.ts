import type { Ask } from './ask.js';

/** A mail as the development inbox shows it. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const FIRED = /(\d+) firings?$/;

/** A client of the policy API with a token of the demo tenant. */
export async function policyClient(ask: Ask) {
  const credentials = { tenantName: 'demo', passwordCredentials: { username: 'demo', password: 'demo' } };
  const { access } = await ask<{ access: { token: { id: string } } }>('POST', '/identity/v2.0/tokens', {
    auth: credentials,
  });
  const signed = { 'x-auth-token': access.token.id };

  return {
    /** The new rule's id. */
    async addRule(serverId: string, rule: object): Promise<string> {
      const made = await ask<{ ruleId: string }>(
        'POST',
        `/v1.0/demo/servers/${serverId}/rules`,
        rule,
        signed,
      );
      return made.ruleId;
    },
    /** Deletes a rule, its subscriptions with it. */
    async deleteRule(serverId: string, ruleId: string): Promise<void> {
      await ask('DELETE', `/v1.0/demo/servers/${serverId}/rules/${ruleId}`, undefined, signed);
    },
    /** The new subscription's id. */
    async subscribe(serverId: string, ruleId: string, target: string): Promise<string> {
      const wanted = { ruleId, url: target };
      const path = `/v1.0/demo/servers/${serverId}/subscription`;
      return (await ask<{ subscriptionId: string }>('POST', path, wanted, signed)).subscriptionId;
    },
    /** Sends measurements, in percent, in one notification, as a broker does; how often they made rules fire. */
    async measure(serverId: string, cpus: readonly number[]): Promise<{ fired: number }> {
      const contextResponses = cpus.map((cpu) => {
        const attributes = [{ name: 'cpuLoadPct', type: 'string', value: String(cpu) }];
        const contextElement = { id: serverId, type: 'host', isPattern: 'false', attributes };
        return { contextElement, statusCode: { code: '200', reasonPhrase: 'OK' } };
      });
      const path = `/v1.0/demo/servers/${serverId}`;
      const { title } = await ask<{ title: string }>('POST', path, { contextResponses });
      return { fired: Number(FIRED.exec(title)?.[1] ?? 0) };
    },
    /** The newest mail to a recipient. */
    async mailTo(recipient: string): Promise<Mail | undefined> {
      const mails = await ask<Mail[]>('GET', '/operator/inbox');
      return mails.find((mail) => mail.to === recipient);
    },
  };
}
