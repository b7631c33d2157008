import type { StateName, Transition } from '../policy/state/subscription-state.js';
import type { ChangesView } from './shapes.js';
import { isoOf } from '../system/iso.js';

/** States whose changes are counted: nobody looks for windows that fill. */
const COUNTED = ['firing', 'noData', 'pending', 'calm'] as const satisfies readonly StateName[];
type Counted = (typeof COUNTED)[number];

/** Length of a step, ms, and number of them: a day. */
const STEP_MS = 15 * 60_000;
const STEPS = 96;
/** Maximum number of rules that are counted in a step, and of those that are shown. */
const RULES = { ofStep: 500, shown: 5 };

/** Numbers of changes into each state. */
type Counts = Record<Counted, number>;

interface RuleCounts extends Counts {
  readonly tenantId: string;
  readonly name: string;
}

/** The changes of one step. */
interface Step {
  readonly tenants: Map<string, Counts>;
  /** By tenant and name: the rules of many servers often have one name. */
  readonly rules: Map<string, RuleCounts>;
}

/**
 * Counts the changes of the states of subscriptions in the last day, as this node sees them from its start on. `now` returns ms since the
 * epoch.
 */
export function createChanges(now: () => number) {
  const startedAt = now();
  /** By number, oldest first. */
  const steps = new Map<number, Step>();

  const stepOf = (number: number): Step => {
    const known = steps.get(number);
    if (known !== undefined) return known;
    const step: Step = { tenants: new Map(), rules: new Map() };
    steps.set(number, step);
    for (const old of steps.keys()) if (old <= number - STEPS) steps.delete(old);
    return step;
  };

  return {
    /** Counts a change. `ruleName`: the name of its rule. */
    add(tenant: string, { to }: Pick<Transition, 'to'>, ruleName: () => string): void {
      if (!isCounted(to)) return;
      const { tenants, rules } = stepOf(Math.floor(now() / STEP_MS));
      const ofTenant = tenants.get(tenant) ?? noCounts();
      tenants.set(tenant, ofTenant);
      ofTenant[to] += 1;
      const name = ruleName();
      const key = `${tenant}/${name}`;
      let ofRule = rules.get(key);
      if (ofRule === undefined) {
        if (rules.size >= RULES.ofStep) return;
        ofRule = { ...noCounts(), tenantId: tenant, name };
        rules.set(key, ofRule);
      }
      ofRule[to] += 1;
    },
    /** Returns the changes of one tenant; undefined: of all. */
    read(tenant: string | undefined): ChangesView {
      const at = now();
      const last = Math.floor(at / STEP_MS);
      const first = Math.max(last - STEPS + 1, Math.floor(startedAt / STEP_MS));
      const lines: Record<Counted, number[]> = { firing: [], noData: [], pending: [], calm: [] };
      const rules = new Map<string, RuleCounts>();
      for (let number = first; number <= last; number += 1) {
        const step = steps.get(number);
        const counts = sum(step === undefined ? [] : ofOne(step.tenants, tenant));
        for (const state of COUNTED) lines[state].push(counts[state]);
        for (const [key, counted] of step?.rules ?? []) {
          if (tenant !== undefined && counted.tenantId !== tenant) continue;
          const before = rules.get(key);
          rules.set(key, { ...counted, ...(before && sum([before, counted])) });
        }
      }
      const biggest = [...rules.values()]
        .filter((rule) => size(rule) > 0)
        .toSorted((a, b) => size(b) - size(a) || a.name.localeCompare(b.name))
        .slice(0, RULES.shown);
      return {
        since: isoOf(Math.max(startedAt, first * STEP_MS)),
        stepSeconds: STEP_MS / 1_000,
        lines,
        rules: biggest.map(({ tenantId, name, firing, noData }) => ({
          tenantId,
          name,
          firing,
          noData,
        })),
      };
    },
  };
}

function isCounted(state: StateName): state is Counted {
  return (COUNTED as readonly StateName[]).includes(state);
}

function noCounts(): Counts {
  return { firing: 0, noData: 0, pending: 0, calm: 0 };
}

function ofOne(counts: ReadonlyMap<string, Counts>, tenant: string | undefined): readonly Counts[] {
  if (tenant === undefined) return [...counts.values()];
  const own = counts.get(tenant);
  return own === undefined ? [] : [own];
}

function sum(all: readonly Counts[]): Counts {
  const counts = noCounts();
  for (const one of all) for (const state of COUNTED) counts[state] += one[state];
  return counts;
}

/** What makes a rule a big one. */
function size({ firing, noData }: Counts): number {
  return firing + noData;
}
