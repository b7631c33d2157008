import { oneLine } from '../../untrusted/text.js';
import { type EmailMessage, type EmailSeries, WHERE_TO_LOOK } from '../port.js';
import { type ScaleLabel, scaleLabels } from './series-scale.js';
import { seriesText, type SeriesText } from './series-text.js';

/** A mail in parts of plain text, for text and HTML. Each is one line without control characters, and may have markup. */
export interface EmailParts {
  readonly subject: string;
  /** What changed. */
  readonly lead: string | undefined;
  /** The lines of the body. */
  readonly body: readonly string[];
  readonly series: readonly PicturedSeries[];
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** Http and https addresses. */
  readonly links: { readonly look: string | undefined; readonly mute: string | undefined };
}

interface PicturedSeries extends SeriesText {
  /** The address of the picture in the mail, `cid:…`. */
  readonly source: string;
  readonly labels: readonly ScaleLabel[];
}

/** What stands above the body of a mail with a lead: its body is no request then. */
export const WHEN_IT_FIRES = 'When it fires, the rule says:';

/** A mail shows at most so many series. */
const MOST_SERIES = 4;

/** Returns the series of a message that its mail shows. */
export function shownSeries({ series = [] }: EmailMessage): readonly EmailSeries[] {
  return series.filter(({ values }) => values.length > 0).slice(0, MOST_SERIES);
}

/** Returns the address that mutes the subscription of a message; undefined without one. */
export function muteLink({ muteUrl }: EmailMessage): string | undefined {
  return webAddress(muteUrl);
}

/** Returns the parts of a message. `contentIds`: those of the pictures of `shownSeries`. */
export function partsOf(message: EmailMessage, contentIds: readonly string[]): EmailParts {
  const facts = message.facts.map(([label, value]) => [oneLine(label, 100), oneLine(value, 2_000)] as const);
  return {
    // An encoded word (RFC 2047) would be sent as it is, and decoded by the reader's program.
    subject: oneLine(message.subject, 400).replaceAll('=?', '= ?'),
    lead: message.lead === undefined ? undefined : oneLine(message.lead, 2_000),
    body: linesOf(message.body),
    series: shownSeries(message).map((one, index) => ({
      ...seriesText(one),
      source: `cid:${contentIds[index]}`,
      labels: scaleLabels(one),
    })),
    facts,
    links: {
      look: webAddress(facts.find(([label]) => label === WHERE_TO_LOOK)?.[1]),
      mute: muteLink(message),
    },
  };
}

function linesOf(body: string): string[] {
  return body
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => line.toWellFormed().replace(/[^\P{Cc}\t]/gu, ' '));
}

/** Returns an http or https address as a browser writes it; undefined for everything else. */
function webAddress(text: string | undefined): string | undefined {
  if (text === undefined || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href;
}
