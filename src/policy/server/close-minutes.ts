import type { Address } from '../../store/port.js';
import type { Metric } from '../rules/metrics.js';
import type { Change, ServerContext, TrendEffect } from './server-context.js';
import type { Measurement } from '../windows/window.js';
import { counted, minuteOf, newMinute, type TrendMinute } from '../windows/trend-minute.js';

/** The trend of a server gets the minutes of so many at once: its document is written, and so is the server's, for them alone. */
const HANDED_OVER_EVERY = 10;
/** Maximum number of closed minutes that a server keeps if they cannot be handed over. The oldest beyond are dropped. */
const CLOSED_LIMIT = 120;

/** What one request adds to the trend of a server. */
interface Counted {
  readonly measurements: readonly Measurement[];
  /** The metrics that subscribed rules read. */
  readonly watched: readonly Metric[];
  /** ms since the epoch. */
  readonly now: number;
  /** Number of the last measurement. */
  readonly factId: number;
}

/**
 * Counts measurements in the running minute of a server. The first one after its end closes it: closed minutes are written
 * rarely, and handed over to the trend of the server in the outbox. `outbox` is the outbox without that.
 */
export function trendChange(
  context: ServerContext,
  { measurements, watched, now, factId }: Counted,
  outbox: ServerContext['outbox'],
): Change {
  if (watched.length === 0) return {};
  const minute = minuteOf(now);
  const { trend: figures, trended: metrics } = context;
  const last = figures?.[0] ?? minute;
  const isSame = metrics === watched || metrics.join() === watched.join();
  // The clock of another node may be a little behind: an earlier minute stays closed.
  if (figures !== undefined && isSame && minute <= last)
    return { trend: counted(figures, watched, measurements) };
  const next = Math.max(minute, last);
  const running = {
    trend: counted(newMinute(next, watched), watched, measurements),
    trended: isSame ? metrics : watched,
  };
  if (figures === undefined) return running;
  const closed = [...context.closed, { metrics, figures }];
  const isHandedOver =
    turnOf(context.address, last) !== turnOf(context.address, next) &&
    // Nor while the minutes of the server before may still be in the trend.
    outbox.every(({ type }) => type !== 'trend' && type !== 'erase');
  if (!isHandedOver) return { ...running, closed: closed.slice(-CLOSED_LIMIT) };
  const entry: TrendEffect = { id: 'trend', type: 'trend', factId, minutes: closed };
  return { ...running, closed: [], outbox: [...outbox, entry] };
}

/** Returns the minutes of a server that its trend does not have, if it has those up to a fact. */
export function minutesAfter(
  { trend, trended, closed, outbox }: Pick<ServerContext, 'trend' | 'trended' | 'closed' | 'outbox'>,
  factId: number,
): readonly TrendMinute[] {
  const waiting = outbox.flatMap((entry) =>
    entry.type === 'trend' && entry.factId > factId ? entry.minutes : [],
  );
  const running = trend === undefined ? [] : [{ metrics: trended, figures: trend }];
  return [...waiting, ...closed, ...running];
}

/** Returns a number that changes when a server hands its minutes over: for servers one after another, not all at once. */
function turnOf({ name }: Address, minute: number): number {
  let hash = 0;
  for (let i = 0; i < name.length; i += 1) hash = (hash * 31 + name.charCodeAt(i)) % 65_521;
  return Math.floor((minute + hash) / HANDED_OVER_EVERY);
}
