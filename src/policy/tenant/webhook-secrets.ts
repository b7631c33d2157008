import { hkdfSync } from 'node:crypto';
import { type SecretGenerations, signingAt } from './secret-generations.js';
import type { Tenants } from './tenants.js';
import { isoOf } from '../../system/iso.js';

/** The newest secret, and the previous one while it still signs. */
export interface ShownSecret {
  /** `whsec_` and base64 of 32 bytes. */
  readonly secret: string;
  /** `until` is ISO 8601, UTC. */
  readonly previous?: { readonly secret: string; readonly until: string };
}

/**
 * Makes the secrets that sign the webhooks of tenants (docs/policy-api.md, "Webhook secrets"). HKDF with SHA-256 (RFC 5869) derives each from `master`, the tenant and the generation. A known
 * secret reveals no secret of another tenant or generation.
 */
export function createWebhookSecrets(tenants: Tenants, master: Uint8Array, now: () => number) {
  const secretOf = (tenantId: string, generation: number): string => {
    const info = JSON.stringify(['mirzam webhook secret', tenantId, generation]);
    return `whsec_${Buffer.from(hkdfSync('sha256', master, '', info, 32)).toString('base64')}`;
  };
  const shown = (tenantId: string, generations: SecretGenerations): ShownSecret => {
    const { current, replaced } = signingAt(generations, now());
    const [last] = replaced;
    const secret = secretOf(tenantId, current);
    if (last === undefined) return { secret };
    const until = isoOf(last.until);
    return { secret, previous: { secret: secretOf(tenantId, last.generation), until } };
  };

  return {
    /** Returns the secrets that the tenant may see. */
    async read(tenantId: string): Promise<ShownSecret> {
      return shown(tenantId, (await tenants.read(tenantId)).secrets);
    },
    /** Makes a new secret. The previous one signs for 24 more hours. Rejects with `Refusal('conflict')` beyond 10 secrets. */
    async rotate(tenantId: string): Promise<ShownSecret> {
      return shown(tenantId, await tenants.ask(tenantId, { type: 'rotateSecret', now: now() }));
    },
    /** Returns the secrets that sign now, newest first; at once if this node holds a fresh copy of the tenant. */
    async signing(tenantId: string): Promise<readonly string[]> {
      const { current, replaced } = signingAt((await tenants.view(tenantId)).secrets, now());
      return [current, ...replaced.map(({ generation }) => generation)].map((one) => secretOf(tenantId, one));
    },
  };
}
