import { oneLine } from '../../untrusted/text.js';
import type { EmailMessage } from '../port.js';

/** The visible parts of a mail. Their sources, such as a rule's action or a server's id, are untrusted. */
interface EmailText {
  /** One line, at most 400 code points. */
  readonly subject: string;
  readonly text: string;
  /** A whole document without colours: readable in dark and light mode. */
  readonly html: string;
}

/** Returns subject, text and HTML of a message. */
export function emailText(message: EmailMessage): EmailText {
  // An encoded word (RFC 2047) would be sent as it is, and decoded by the reader's program.
  const subject = oneLine(message.subject, 400).replaceAll('=?', '= ?');
  const lines = linesOf(message.body);
  const facts = message.facts.map(([label, value]) => [oneLine(label, 100), oneLine(value, 2_000)] as const);
  const table = facts.map(([label, value]) => `${label}: ${value}`);
  return {
    subject,
    text: [...lines, '', ...table, ''].join('\n'),
    html: htmlOf(subject, lines, facts),
  };
}

function linesOf(body: string): string[] {
  return body
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => line.toWellFormed().replace(/[^\P{Cc}\t]/gu, ' '));
}

function htmlOf(
  subject: string,
  lines: readonly string[],
  facts: readonly (readonly [string, string])[],
): string {
  const rows = facts.map(
    ([label, value]) =>
      `<tr><th scope="row" style="text-align:left;vertical-align:top;padding:2px 16px 2px 0">${escaped(label)}</th>` +
      `<td style="padding:2px 0;overflow-wrap:anywhere">${escaped(value)}</td></tr>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${escaped(subject)}</title></head>`,
    '<body style="font-family:system-ui,sans-serif;line-height:1.4">',
    `<p>${lines.map(escaped).join('<br>\n')}</p>`,
    `<table style="border-collapse:collapse">\n${rows.join('\n')}\n</table>`,
    '</body></html>',
    '',
  ].join('\n');
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
