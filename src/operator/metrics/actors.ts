import { Counter, Histogram, type Registry } from 'prom-client';
import type { ActorFault } from '../../actors/runtime.js';
import type { Actors, ActorStats } from '../../actors/kind.js';
import { readOnScrape } from './read.js';

const FAULTS: readonly ActorFault['what'][] = ['poison', 'effect', 'report', 'sweep', 'hook'];

/** Creates the metrics of the actor runtime. */
export function actorMetrics(registry: Registry) {
  const registers = [registry];
  const faults = new Counter({
    name: 'mirzam_faults_total',
    help: 'Faults that no caller sees: machines or hooks that threw, effects and sweeps that failed',
    labelNames: ['what'] as const,
    registers,
  });
  for (const what of FAULTS) faults.inc({ what }, 0);
  const batches = new Histogram({
    name: 'mirzam_commit_batch_size',
    help: 'Commits in one call of the store',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const seconds = new Histogram({
    name: 'mirzam_commit_seconds',
    help: 'Time until the commits of one call of the store were durable',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  return {
    /** Records a fault that no caller sees. */
    fault: ({ what }: Pick<ActorFault, 'what'>): void => faults.inc({ what }),
    /** Records a call of the store with the number of its commits and its duration, s. */
    storeCall: (commits: number, duration: number): void => {
      batches.observe(commits);
      seconds.observe(duration);
    },
    /** Adds the figures that are read on each scrape. */
    observe: (actors: Pick<Actors, 'stats'>): void => actorFigures(registry, () => actors.stats()),
  };
}

function actorFigures(registry: Registry, read: Actors['stats']): void {
  const { gauge, counter } = readOnScrape(registry);
  /** The figures of this scrape: reading them takes a step for each actor in memory. */
  let figures: ActorStats | undefined;
  const stats = (): ActorStats => {
    if (figures === undefined) queueMicrotask(() => (figures = undefined));
    return (figures ??= read());
  };
  gauge('mirzam_actors_resident', 'Actors in memory', () => stats().resident);
  gauge(
    'mirzam_actors_characters',
    'Characters of the documents of the actors in memory',
    () => stats().characters,
  );
  gauge('mirzam_mailbox_events', 'Events that wait for actors', () => stats().waiting);
  gauge('mirzam_mailbox_events_max', 'Events that wait for one actor, at most', () => stats().longestMailbox);
  gauge('mirzam_commits_pending', 'Commits on their way to the store', () => stats().commitsPending);
  gauge('mirzam_effects_running', 'Entries of outboxes being performed', () => stats().effectsRunning);
  gauge(
    'mirzam_outgoing_characters',
    'Characters of messages that wait to become deliveries',
    () => stats().outgoing,
  );
  counter(
    'mirzam_actor_refusals_total',
    'Refusals for overload: a full mailbox, too many commits or outgoing messages, contention of nodes',
    () => Object.entries(stats().refused),
    'why',
  );
}
