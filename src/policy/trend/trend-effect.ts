import type { EffectRun } from '../../actors/kind.js';
import { performed } from '../../actors/outbox.js';
import type { TrendEffect } from '../server/server-context.js';
import { type AppendTrendEvent, trendAddress } from './trend-machine.js';

/** Makes the effect that hands the closed minutes of a server over to its trend. */
export function trendEffect(now: () => number) {
  return async (entry: TrendEffect, _context: unknown, { address: { tenant, name }, actors }: EffectRun) => {
    const { factId, minutes } = entry;
    const event: AppendTrendEvent = { type: 'append', now: now(), factId, minutes };
    await actors.ask(trendAddress(tenant, name), event);
    return performed(entry, now());
  };
}
