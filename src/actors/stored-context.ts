import type { Stored } from '../store/port.js';

/** The context in an actor's document, unchecked: each version of a machine may have another part of it cold. */
export function contextIn({ hot, cold }: Pick<Stored, 'hot' | 'cold'>): object {
  return { ...(JSON.parse(cold) as object), ...(JSON.parse(hot) as object) };
}
