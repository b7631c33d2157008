import { eventually, SOON_MS } from '../../faults/stage/eventually.js';
import type { ApiClient } from '../api-client.js';
import { okBody } from '../policy/actions.js';

/** What a server has counted. */
export interface Counted {
  /** Number of its facts. */
  readonly facts: number;
  /** Values in its windows by metric, oldest first. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

interface Kept {
  readonly values: readonly number[];
}

/** Reads what a server of the client's tenant has counted. */
export async function countedBy(api: ApiClient, server: string, tenantId: string): Promise<Counted> {
  const answer = await api.call('GET', `/operator/actors/server/${tenantId}/${encodeURIComponent(server)}`);
  if (answer.status === 404) return { facts: 0, values: {} };
  const { factId, windows } = okBody(answer)['context'] as unknown as {
    factId: number;
    windows: { readonly tracked: Record<string, Kept> };
  };
  const values = Object.entries(windows.tracked).map(([metric, window]) => [metric, window.values]);
  return { facts: factId, values: Object.fromEntries(values) as Counted['values'] };
}

/** Resolves once a server has counted so many facts. */
export function untilCounted(
  api: ApiClient,
  server: string,
  tenantId: string,
  facts: number,
): Promise<Counted> {
  let seen: Counted | undefined;
  return eventually(
    async () => {
      seen = await countedBy(api, server, tenantId);
      return seen.facts >= facts ? seen : undefined;
    },
    SOON_MS,
    () => `${seen?.facts} of ${facts} facts were counted`,
  );
}
