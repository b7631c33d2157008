import { Refusal } from '../../errors.js';

/** Maximum numbers of a tenant; 0: any number. */
export interface TenantMaxima {
  readonly servers: number;
  readonly subscriptions: number;
}

/** Lets a tenant make something new as long as it has less than its limit of it. */
export interface TenantLimit {
  /**
   * Does `work`, which makes one more if `isNew`. `key` names what it makes. Throws `Refusal('conflict')` if the tenant has its
   * limit already.
   */
  within<T>(tenant: string, key: string, isNew: () => Promise<boolean>, work: () => Promise<T>): Promise<T>;
}

/** What is being made for a tenant, by key. It may not be in the count yet. */
type Making = Map<string, Promise<unknown>>;

/**
 * Makes a limit; undefined: there is none. `count` may be behind on a shared store: the limit is exceeded by what is made meanwhile,
 * here or at other nodes.
 */
export function tenantLimit(options: {
  readonly most: number;
  readonly count: (tenant: string) => Promise<number>;
  /** What is limited, in the plural. */
  readonly what: string;
  readonly setting: string;
  /** What the tenant can do, as the end of a sentence. */
  readonly instead: string;
}): TenantLimit | undefined {
  const { most, count, what, setting, instead } = options;
  if (most === 0) return undefined;
  const all = new Map<string, Making>();
  const full = (): Refusal =>
    new Refusal(
      'conflict',
      `this tenant has ${most} ${what}, and can have no more (${setting}); nothing was done: ${instead}`,
    );

  const make = async <T>(tenant: string, making: Making, key: string, work: () => Promise<T>): Promise<T> => {
    const made = work();
    const over = made.then(
      () => undefined,
      () => undefined,
    );
    making.set(key, over);
    all.set(tenant, making);
    try {
      return await made;
    } finally {
      making.delete(key);
      if (making.size === 0) all.delete(tenant);
    }
  };

  return {
    async within(tenant, key, isNew, work) {
      while (await isNew()) {
        const same = all.get(tenant)?.get(key);
        if (same !== undefined) {
          await same;
          continue;
        }
        // One that is made while the count is read may be in the count or not.
        const before = [...(all.get(tenant)?.keys() ?? [])];
        const has = await count(tenant);
        if (has >= most) throw full();
        const making: Making = all.get(tenant) ?? new Map<string, Promise<unknown>>();
        if (making.has(key)) continue;
        if (has + new Set([...before, ...making.keys()]).size < most) return make(tenant, making, key, work);
        if (making.size > 0) await Promise.race(making.values());
      }
      return work();
    },
  };
}
