import type { EmailMessage, EmailSeries } from '../../../src/delivery/port.js';

/** The window of a metric of the document, with a threshold and where it clears. */
export const CPU: EmailSeries = {
  metric: 'cpu',
  values: [88, 91, 93, 95, 97],
  size: 5,
  thresholds: [85],
  clears: [70],
  percent: true,
};

/** A window of 300 values in 60. */
const TEMPERATURE: EmailSeries = {
  metric: 'temperature',
  values: Array.from({ length: 60 }, (_, i) => Math.round((20 + 11.25 * Math.sin(i / 12) ** 2) * 100) / 100),
  size: 300,
  thresholds: [30],
  clears: [],
  percent: false,
};

/** What a mail with series and links has beside that of `email-scene.ts`. */
export const WITH_SERIES: Pick<EmailMessage, 'series' | 'muteUrl'> = {
  series: [CPU, TEMPERATURE],
  muteUrl: 'https://mirzam.example/mute/eyJzIjoiczEifQ',
};
