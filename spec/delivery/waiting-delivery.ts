import type { Commit } from '../../src/store/port.js';

const DAY_MS = 86_400_000;

/** Returns the commit of a webhook to `{origin}/hook` that failed once at `now` and whose next attempt is a day later. */
export function waitingDelivery(
  tenant: string,
  name: string,
  { origin, now, version = 1 }: { readonly origin: string; readonly now: number; readonly version?: number },
): Commit {
  const wakeAt = now + DAY_MS;
  const message = { channel: 'webhook', url: `${origin}/hook`, body: '{}' };
  const about = { tenant, server: 's', subscriptionId: 'u', factId: 1 };
  const frequent = JSON.stringify({ since: now, tries: 1, attempts: [], outbox: [], wakeAt });
  const rare = JSON.stringify({ message, about });
  return {
    id: `delivery/${tenant}/${name}`,
    expected: 0,
    revision: 1,
    commitId: name,
    next: { version, state: 'waiting', wakeAt, queue: `${tenant}/${origin}`, frequent, rare },
    previous: undefined,
  };
}
