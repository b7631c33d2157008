import type { OutboxEntry } from '../actors/kind.js';

/** Try to deliver once. */
export interface AttemptEffect extends OutboxEntry {
  readonly type: 'attempt';
}

/** Tell the endpoint of its subscription that it has failed for good. */
export interface ReportEffect extends OutboxEntry {
  readonly type: 'report';
  /** With which status its receiver refused it; undefined where it failed otherwise. */
  readonly status: number | undefined;
}

/** Tell the endpoint of its subscription that it was taken: the row of refusals is over. */
export interface TakenEffect extends OutboxEntry {
  readonly type: 'taken';
}

/** A dead letter has been kept for long enough: tell the endpoint of its subscription that it goes. */
export interface ExpireEffect extends OutboxEntry {
  readonly type: 'expire';
}

export type DeliveryEffect = AttemptEffect | ReportEffect | TakenEffect | ExpireEffect;
