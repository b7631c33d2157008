import type { ChangeView } from '../../../../src/operator/shapes.js';
import type { ApiClient } from '../../api-client.js';
import { okBody } from '../actions.js';

/** Returns a page of the audit, newest first. */
export async function auditPage(
  api: Pick<ApiClient, 'call'>,
  path = '/v1.0/demo/audit',
): Promise<{ readonly audit: readonly ChangeView[]; readonly next: string | null }> {
  return okBody(await api.call('GET', path)) as never;
}

/** Returns what was done to what, oldest first. */
export async function changesIn(api: Pick<ApiClient, 'call'>, query = ''): Promise<readonly string[]> {
  const { audit } = await auditPage(api, `/v1.0/demo/audit${query}`);
  return audit.map(({ what, target }) => `${what} ${target}`).toReversed();
}
