import { oneLine } from '../../untrusted/text.js';
import { type EmailMessage, type EmailSeries, WHERE_TO_LOOK } from '../port.js';
import { LABEL_HEIGHT, PICTURE, type ScaleLabel, scaleLabels } from './series-scale.js';
import { numberText, seriesText } from './series-text.js';

/**
 * Returns subject, text and HTML of a message, whose sources, such as a rule's action or a server's id, are untrusted. The
 * subject is one line of at most 400 code points; the HTML is a whole document without colours, readable in dark and light
 * mode. `contentIds`: those of the pictures of `shownSeries`.
 */
export function emailText(message: EmailMessage, contentIds: readonly string[]) {
  const parts = partsOf(message, contentIds);
  return { subject: parts.subject, text: plainText(parts), html: emailHtml(parts) };
}

function plainText({ headline, reason, fires, body, series, facts, links }: EmailParts): string {
  return [
    headline,
    '',
    ...(fires ? [...body, '', reason] : [reason, '', WHEN_IT_FIRES, ...body]),
    '',
    ...series.flatMap(({ values }) => [values, '']),
    ...facts.map(([label, value]) => `${label}: ${value}`),
    ...(links.mute === undefined ? [] : [`Mute: ${links.mute}`]),
    '',
  ].join('\n');
}

/** A mail in parts of plain text, for text and HTML. Each is one line without control characters, and may have markup. */
type EmailParts = ReturnType<typeof partsOf>;

/** What stands above the body of a mail that is not of a firing: its body is not a request then. */
const WHEN_IT_FIRES = 'When it fires, the rule says:';

/** Maximum length of a reason: 32 comparisons, each with two numbers of 309 digits. */
const MAX_REASON = 32_000;

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
function partsOf(message: EmailMessage, contentIds: readonly string[]) {
  const facts = message.facts.map(([label, value]) => [oneLine(label, 100), oneLine(value, 2_000)] as const);
  return {
    // An encoded word (RFC 2047) would be sent as it is, and decoded by the reader's program.
    subject: oneLine(message.subject, 400).replaceAll('=?', '= ?'),
    headline: oneLine(message.headline, 2_000),
    reason: oneLine(message.reason, MAX_REASON),
    fires: message.state === 'firing',
    /** The lines of the body. */
    body: linesOf(message.body),
    series: shownSeries(message).map((one, index) => ({
      ...seriesText(one),
      /** The address of the picture in the mail. */
      source: `cid:${contentIds[index]}`,
      labels: scaleLabels(one),
    })),
    facts,
    /** Http and https addresses. */
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

// Programs for mail drop style sheets, forms, SVG and positions, and some change colours in dark mode. The document needs none:
// styles are attributes, layout is tables, colours are those of the reader.

const BUTTON =
  'display:inline-block;padding:12px 18px;border:1px solid;border-radius:8px;font-weight:600;text-decoration:none';
const HEADLINE = 'margin:0 0 16px;font-size:20px;font-weight:600';
const PARAGRAPH = 'margin:0 0 16px';
const SMALL = 'font-size:13px;margin:4px 0 16px';

/** Returns the HTML document of a mail: what happened, what to do, why, and the details. At least 320 CSS pixels wide. */
function emailHtml(parts: EmailParts): string {
  const { subject, headline, reason, fires, body, series, facts, links } = parts;
  const action = `<p dir="auto" style="${PARAGRAPH}">${body.map(escaped).join('<br>\n')}</p>`;
  const why = `<p dir="auto" style="${PARAGRAPH}">${escaped(reason)}</p>`;
  const rows = facts
    // The button above the details leads there.
    .filter(([label]) => links.look === undefined || label !== WHERE_TO_LOOK)
    .map(factRow);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${escaped(subject)}</title></head>`,
    '<body style="margin:0;font-family:system-ui,sans-serif;line-height:1.4">',
    '<main style="display:block;max-width:600px;margin:0 auto;padding:16px;overflow-wrap:anywhere">',
    `<h1 dir="auto" style="${HEADLINE}">${escaped(headline)}</h1>`,
    ...(fires ? [action, why] : [why, `<p style="margin:0">${WHEN_IT_FIRES}</p>`, action]),
    ...(links.look === undefined
      ? []
      : [
          `<p style="margin:0 0 20px"><a href="${escaped(links.look)}" style="${BUTTON}">Open the server’s page</a></p>`,
        ]),
    ...(series.length === 0 ? [] : [heading('What was measured'), ...series.flatMap(seriesBlock)]),
    heading('Details'),
    `<table style="border-collapse:collapse;width:100%">\n${rows.join('\n')}\n</table>`,
    ...(links.mute === undefined
      ? []
      : [
          '<p style="margin:20px 0 0;padding:12px 0 0;border-top:1px solid">' +
            `<a href="${escaped(links.mute)}">Mute this rule on this server</a> for an hour, a day or a week.</p>`,
        ]),
    '</main>',
    '</body></html>',
    '',
  ].join('\n');
}

function heading(text: string): string {
  return `<h2 style="margin:20px 0 8px;font-size:16px">${text}</h2>`;
}

function factRow([label, value]: readonly [string, string]): string {
  return (
    '<tr><th scope="row" style="width:36%;text-align:left;vertical-align:top;padding:5px 6px 3px 0;font-weight:600;font-size:13px">' +
    `${escaped(label)}</th><td dir="auto" style="text-align:left;vertical-align:top;padding:3px 0">${escaped(value)}</td></tr>`
  );
}

function seriesBlock({ source, alt, caption, labels }: EmailParts['series'][number]): string[] {
  const { width, height } = PICTURE;
  return [
    '<table role="presentation" style="border-collapse:collapse"><tr>',
    `<td style="padding:0;line-height:0"><img src="${escaped(source)}" width="${width}" height="${height}" ` +
      `alt="${escaped(alt)}" style="display:block;width:100%;max-width:${width}px;height:${height}px;font-size:13px;line-height:1.3"></td>`,
    `<td style="padding:0 0 0 4px;vertical-align:top">${scaleColumn(labels)}</td>`,
    '</tr></table>',
    `<p style="${SMALL}">${escaped(caption)}</p>`,
  ];
}

/**
 * Returns the numbers beside a picture, each at its height. The alternative text of the picture has them: no reader needs
 * both.
 */
function scaleColumn(labels: readonly ScaleLabel[]): string {
  let bottom = 0;
  return labels
    .map(({ value, top }) => {
      const gap = top - bottom;
      bottom = top + LABEL_HEIGHT;
      return (
        `<div aria-hidden="true" style="margin-top:${gap}px;height:${LABEL_HEIGHT}px;line-height:${LABEL_HEIGHT}px;` +
        `font-size:12px;white-space:nowrap">${labelText(value)}</div>`
      );
    })
    .join('');
}

/** Returns a number in the room beside a picture. */
function labelText(value: number): string {
  return numberText(Number(value.toPrecision(6)));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
