import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ActorFault, Actors } from '../../actors/runtime.js';
import { readGauge } from './gauge.js';

/** Records a fault that no caller sees. */
export type FaultCounter = (fault: Pick<ActorFault, 'what'>) => void;

/** Creates the counter of faults. */
export function faultCounter(registry: Registry): FaultCounter {
  const faults = new Counter({
    name: 'mirzam_faults_total',
    help: 'Faults that no caller sees: machines that threw, effects and sweeps that failed',
    labelNames: ['what'] as const,
    registers: [registry],
  });
  for (const what of ['poison', 'effect', 'report', 'sweep'] as const) faults.inc({ what }, 0);
  return ({ what }) => faults.inc({ what });
}

/** Adds the gauges of the runtime's statistics. */
export function actorGauges(registry: Registry, actors: Pick<Actors, 'stats'>): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    readGauge(registry, name, help, read);
  gauge('mirzam_actors_resident', 'Actors in memory', () => actors.stats().resident);
  gauge('mirzam_commits_pending', 'Commits on their way to the store', () => actors.stats().commitsPending);
  gauge('mirzam_effects_running', 'Entries of outboxes being performed', () => actors.stats().effectsRunning);
}
