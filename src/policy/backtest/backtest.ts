import { evaluate } from '../server/evaluate.js';
import type { ServerContext } from '../server/server-context.js';
import { newServer } from '../server/new-server.js';
import type { Measures } from '../rules/metrics.js';
import type { RuleDraft } from '../rules/rule.js';
import type { TenantView } from '../tenant/tenant-view.js';
import { stateFrom } from '../state/subscription-state.js';
import type { BacktestAnswer, BacktestMessage } from './shapes.js';
import type { Notification } from '../alerts/alert-messages.js';
import { isoOf } from '../../system/iso.js';

/** Maximum number of facts of one backtest. */
export const FACTS_LIMIT = 50_000;

/** One measurement of the past. */
export interface PastFact {
  /** ms since the epoch. */
  readonly at: number;
  readonly measures: Measures;
}

/** A rule and the measurements to try it on. */
export interface Backtest {
  readonly rule: RuleDraft;
  /** Number of values of a full window. */
  readonly windowsize: number;
  /** Pause that empties a window, ms; 0: never. */
  readonly gapMs: number;
  /** In the order of their times. */
  readonly facts: readonly PastFact[];
}

/** A message that a live server would have sent. */
export interface PastMessage extends Omit<BacktestMessage, 'at'> {
  /** ms since the epoch: the time of the fact, or when `noData` was due. */
  readonly at: number;
}

/** A period in which the condition held. Times in ms since the epoch. */
export interface Period {
  readonly from: number;
  /** The evaluation that ended it; the last fact if none did. */
  readonly to: number;
  /** False if it went on after the last fact. */
  readonly ended: boolean;
}

/** What a live server would have done. */
export interface BacktestResult {
  /** Number of facts that evaluated the condition. */
  readonly evaluations: number;
  /** In the order in which they would have been sent. */
  readonly messages: readonly PastMessage[];
  /** Number of the messages with the state `firing`. */
  readonly firings: number;
  readonly periods: readonly Period[];
}

const RULE_ID = 'backtest';

/**
 * Returns what a live server would have sent for the facts at their times, subscribed at the first of them, and nothing after
 * the last (docs/policy-api.md, "Backtest"). Uses the decisions of the live server. Pure.
 */
export function backtest({ rule, windowsize, gapMs, facts }: Backtest): BacktestResult {
  // A server has no times before 1970, and 0 stands for none there. Decisions depend on differences of times alone.
  const origin = (facts[0]?.at ?? 0) - 1;
  const tenant: TenantView = {
    names: [],
    version: 0,
    window: { size: windowsize, version: 0, lows: [] },
    rules: [{ ...rule, ruleId: RULE_ID }],
    quiet: [],
  };
  let server = subscribedServer();
  let evaluations = 0;
  const messages: PastMessage[] = [];
  const periods: Period[] = [];
  for (const { at, measures } of facts) {
    const now = at - origin;
    const evaluation = evaluate(server, { measurements: [{ measures }], now, tenant }, gapMs);
    evaluations += evaluation.evaluations;
    for (const notification of evaluation.notifications) messages.push(messageOf(notification, origin));
    const before = periodStart(server);
    server = after(server, evaluation);
    if (before !== undefined && periodStart(server) === undefined) {
      periods.push({ from: before + origin, to: at, ended: true });
    }
  }
  const open = periodStart(server);
  if (open !== undefined) periods.push({ from: open + origin, to: facts.at(-1)!.at, ended: false });
  const firings = messages.filter(({ state }) => state === 'firing').length;
  return { evaluations, messages, firings, periods };
}

/** Returns the sum of periods, s. */
export function secondsHeld(periods: readonly Period[]): number {
  return periods.reduce((sum, { from, to }) => sum + (to - from), 0) / 1000;
}

/** Returns a server with one subscription, made at the time 1. */
function subscribedServer(): ServerContext {
  const address = { kind: 'server', tenant: RULE_ID, name: RULE_ID };
  return {
    ...newServer(address),
    subscriptions: [{ id: RULE_ID, ruleId: RULE_ID, url: '', at: 1 }],
  };
}

/** Returns the server after an evaluation. Its transitions are not recorded. */
function after(
  server: ServerContext,
  { factId, windows, stateChanges }: ReturnType<typeof evaluate>,
): ServerContext {
  const { states = server.states } = stateChanges.change(server.outbox);
  return { ...server, factId, windows, states };
}

/** Returns the time at which the open period began; undefined if none is open. */
function periodStart({ states }: ServerContext): number | undefined {
  return stateFrom(states[0])?.since;
}

function messageOf({ factId, at, state, measures }: Notification, origin: number): PastMessage {
  return { index: factId === null ? null : factId - 1, at: at + origin, state, measures };
}

/** Returns the answer of the API and of the command. */
export function backtestAnswer({ evaluations, messages, firings, periods }: BacktestResult): BacktestAnswer {
  const shown = messages.map(({ at, index, state, measures }) => ({
    index,
    at: isoOf(at),
    state,
    measures,
  }));
  return { evaluations, messages: shown, firings, held: secondsHeld(periods) };
}
