import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { TargetRules } from '../delivery/senders/targets.js';
import type { Activity } from '../operator/activity.js';
import type { OperatorAccess } from '../operator/guard.js';
import type { EventStream } from '../operator/event-stream.js';
import type { Metrics } from '../operator/metrics/metrics.js';
import type { Refusals } from '../operator/refusals/refusals.js';

/** Common parts of the service. */
export interface SharedParts {
  readonly config: Config;
  readonly log: Logger;
  readonly version: string;
  readonly metrics: Metrics;
  readonly activity: Activity;
  readonly events: EventStream;
  readonly refusals: Refusals;
  readonly targets: TargetRules;
  readonly operators: OperatorAccess;
  readonly now: () => number;
  readonly random: () => number;
  /** Returns the public address. Known once the service listens. */
  readonly publicUrl: () => string;
  /** Returns the address at which this process listens. Known once it does. */
  readonly localUrl: () => string;
  /** Registers a part to be closed with the service, before the parts opened earlier. */
  readonly closeOnStop: <T extends { close(): Promise<unknown> }>(part: T) => T;
}
