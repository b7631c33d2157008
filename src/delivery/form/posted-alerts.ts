import type { MessageContent } from './formats.js';
import { isoOf } from '../../system/iso.js';

/** Intervals after which an alert ends at the Alertmanager unless it is sent again. */
const LIFETIME = 4;

/** The members of an alert that this service reads. */
interface PostedAlert {
  readonly labels: { readonly alertname: string };
  readonly startsAt: string;
  /** Absent: the alert fires. */
  readonly endsAt?: string;
}

/** Returns where an Alertmanager at `url` takes alerts. */
export function alertsUrl(url: string): string {
  const [path, ...query] = url.split('?');
  return [`${path!.replace(/\/+$/, '')}/api/v2/alerts`, ...query].join('?');
}

/**
 * Returns a list of alerts, as JSON text, as an Alertmanager gets it at `now`, ms since the epoch: an alert that fires ends four
 * intervals later unless it is sent again. Times in the future, of before the clock was set back, count as now.
 */
export function postedAlerts(body: string, resendMs: number, now: number): MessageContent {
  const alerts = (JSON.parse(body) as readonly PostedAlert[]).map((alert) => {
    const startsAt = Math.min(Date.parse(alert.startsAt), now);
    const end =
      alert.endsAt === undefined ? now + LIFETIME * resendMs : Math.min(Date.parse(alert.endsAt), now);
    return { ...alert, startsAt: isoOf(startsAt), endsAt: isoOf(Math.max(startsAt, end)) };
  });
  return { contentType: 'application/json', body: JSON.stringify(alerts) };
}

/** Returns rule and state of the first alert of a list, as JSON text: the others have labels that its rule had before. */
export function firstAlertIn(body: string): {
  readonly ruleName: string;
  readonly state: 'firing' | 'resolved';
} {
  const [first] = JSON.parse(body) as readonly PostedAlert[];
  return { ruleName: first!.labels.alertname, state: first!.endsAt === undefined ? 'firing' : 'resolved' };
}
