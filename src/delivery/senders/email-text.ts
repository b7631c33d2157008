import type { EmailMessage } from '../port.js';
import { emailHtml } from './email-html.js';
import { type EmailParts, partsOf, WHEN_IT_FIRES } from './email-parts.js';

/** The visible parts of a mail. Their sources, such as a rule's action or a server's id, are untrusted. */
interface EmailText {
  /** One line, at most 400 code points. */
  readonly subject: string;
  readonly text: string;
  /** A whole document without colours: readable in dark and light mode. */
  readonly html: string;
}

/** Returns subject, text and HTML of a message. `contentIds`: those of the pictures of `shownSeries`. */
export function emailText(message: EmailMessage, contentIds: readonly string[]): EmailText {
  const parts = partsOf(message, contentIds);
  return { subject: parts.subject, text: plainText(parts), html: emailHtml(parts) };
}

function plainText({ lead, body, series, facts, links }: EmailParts): string {
  return [
    ...(lead === undefined ? [] : [lead, '', WHEN_IT_FIRES]),
    ...body,
    '',
    ...series.flatMap(({ compared, values }) => [compared, values, '']),
    ...facts.map(([label, value]) => `${label}: ${value}`),
    ...(links.mute === undefined ? [] : [`Mute: ${links.mute}`]),
    '',
  ].join('\n');
}
