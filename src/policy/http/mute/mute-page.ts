import { createHash } from 'node:crypto';
import { Refusal } from '../../../errors.js';
import { Html, html, type Shown } from '../../../untrusted/html.js';
import { oneLine } from '../../../untrusted/text.js';
import type { MutableSubscription } from '../../mute/mutes.js';
import type { Mute } from '../../state/subscription.js';
import { isoOf } from '../../../system/iso.js';

/** What a click of a mail program mutes for, s: 7 days. */
const ONE_CLICK_S = 604_800;

/** The times of the page's buttons, s. */
export const MUTE_TIMES: readonly (readonly [label: string, seconds: number])[] = [
  ['One hour', 3_600],
  ['One day', 86_400],
  ['Seven days', ONE_CLICK_S],
];

/** The style of the page that mutes: for phones first, light and dark. */
const MUTE_STYLE = `
:root { color-scheme: light dark; --ground: #f6f7f9; --surface: #fff; --ink: #12161d; --quiet: #4a5362;
  --line: #c9ced8; --accent: #2754d4; --on-accent: #fff; --warn: #8a5300; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1015; --surface: #141920; --ink: #e7eaef; --quiet: #aab3c1;
    --line: #3a4350; --accent: #8fb1ff; --on-accent: #0b1533; --warn: #e9bb6c; }
}
*, *::before, *::after { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  color: var(--ink); background: var(--ground); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; padding: 16px; }
main { max-width: 480px; margin: 0 auto; padding: 20px; background: var(--surface);
  border: 1px solid var(--line); border-radius: 10px; overflow-wrap: anywhere; }
h1 { margin: 0 0 12px; font-size: 21px; line-height: 1.3; }
p { margin: 0 0 12px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 14px; margin: 0 0 16px; }
dt { color: var(--quiet); }
dd { margin: 0; }
.muted { color: var(--warn); font-weight: 600; }
.quiet { color: var(--quiet); font-size: 14px; }
.choices { display: flex; flex-wrap: wrap; gap: 10px; margin: 0 0 16px; }
form { flex: 1 1 120px; }
button { width: 100%; min-height: 46px; padding: 8px 14px; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: 8px; }
.unmute button { color: var(--ink); background: var(--surface); border-color: var(--quiet); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/** Maximum length of a name in a title, characters. */
const TITLE = 120;

/** Returns the Content-Security-Policy of the pages: their own style, forms to the service, and nothing else. */
export function mutePolicy(): string {
  const style = createHash('sha256').update(MUTE_STYLE).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${style}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Returns the page of a subscription: what is muted until when, with a form for each choice. It has no script. */
export function mutePage({ ruleName, serverId, mute }: MutableSubscription): string {
  const isMuted = mute !== undefined;
  const isQuiet = mute?.quiet !== undefined;
  const name = oneLine(ruleName, TITLE);
  return page(
    `${isMuted ? 'Muted' : 'Mute'}: ${name} on ${oneLine(serverId, TITLE)}`,
    html`<h1>${isMuted ? 'This rule is muted' : 'Mute this rule'}</h1>
      <dl>
        <dt>Rule</dt>
        <dd><bdi>${ruleName}</bdi></dd>
        <dt>Server</dt>
        <dd><bdi>${serverId}</bdi></dd>
        <dt>State</dt>
        <dd>
          ${isMuted ? html`<span class="muted">Muted ${muter(mute)}until ${timeOf(mute.until)}</span>` : 'Not muted'}
        </dd>
      </dl>
      <p id="choices">
        ${isMuted && !isQuiet ? 'Mute it from now for another time, or unmute it:' : 'Mute it for:'}
      </p>
      <div class="choices" role="group" aria-labelledby="choices">
        ${MUTE_TIMES.map(([label, seconds]) => choice(label, 'for', String(seconds)))}
      </div>
      ${isMuted && !isQuiet ? html`<div class="choices unmute">${choice('Unmute', 'action', 'unmute')}</div> ` : undefined}
      <p>
        While it is muted, the rule is evaluated as before, and nothing is sent: no e-mail and no webhook.
        What was not sent is not sent later.
      </p>
      <p class="quiet">
        This page needs no login. The link in the e-mail mutes this rule on this server, and nothing else. It
        is good for 30 days.
      </p>`,
  );
}

/** Returns the page of a link that is not good. */
export function goneLinkPage(): string {
  return page(
    'This link is not valid',
    html`<h1>This link is not valid</h1>
      <p>It is incomplete, its 30 days are over, or its subscription has ended. Nothing was changed.</p>
      <p>A newer e-mail of the same rule has a new link.</p>`,
  );
}

/** Returns the page of another refusal. */
export function refusedPage(title: string, message: string): string {
  return page(
    title,
    html`<h1>${title}</h1>
      <p>${message}</p>`,
  );
}

/** A quiet time ends in the console, or at its end. */
function muter({ quiet }: Mute): Shown {
  return quiet === undefined ? '' : html`by the quiet time <bdi>${quiet}</bdi> `;
}

/** Each choice is a form of its own, with a hidden field. */
function choice(label: string, name: string, value: string): Html {
  return html`<form method="post">
    <input type="hidden" name="${name}" value="${value}" /><button>${label}</button>
  </form> `;
}

/** Returns a time as people read it: to the minute, UTC. */
function timeOf(at: number): Html {
  const iso = isoOf(at);
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

/** The hash of the policy is that of the exact text between the tags. */
const STYLE = new Html(`<style>${MUTE_STYLE}</style>`);

function page(title: string, content: Shown): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        ${STYLE}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html> `.toString();
}

/**
 * Returns what the form of a mute asks for: a number of seconds, or `unmute`. A mail program sends
 * `List-Unsubscribe=One-Click` (RFC 8058). Throws `Refusal('bad-request')` for any other form.
 */
export function wishOf(fields: ReadonlyMap<string, string>): number | 'unmute' {
  if (fields.get('List-Unsubscribe') === 'One-Click') return ONE_CLICK_S;
  const seconds = MUTE_TIMES.map(([, one]) => one).find((one) => fields.get('for') === String(one));
  const isUnmute = fields.get('action') === 'unmute';
  if (seconds !== undefined && !fields.has('action')) return seconds;
  if (isUnmute && !fields.has('for')) return 'unmute';
  const times = MUTE_TIMES.map(([, one]) => `for=${one}`).join(', ');
  throw new Refusal(
    'bad-request',
    `the form must be one of ${times}, action=unmute, List-Unsubscribe=One-Click`,
  );
}
