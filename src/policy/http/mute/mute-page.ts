import { createHash } from 'node:crypto';
import { Html, html, type Shown } from '../../../untrusted/html.js';
import { oneLine } from '../../../untrusted/text.js';
import { MUTE_TIMES } from './mute-form.js';
import { MUTE_STYLE } from './mute-style.js';
import type { MutableSubscription } from '../../mute/mutes.js';

/** Longest name in a title, characters. */
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
export function mutePage({ ruleName, serverId, mutedUntil }: MutableSubscription): string {
  const isMuted = mutedUntil !== undefined;
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
        <dd>${isMuted ? html`<span class="muted">Muted until ${timeOf(mutedUntil)}</span>` : 'Not muted'}</dd>
      </dl>
      <p id="choices">${isMuted ? 'Mute it from now for another time, or unmute it:' : 'Mute it for:'}</p>
      <div class="choices" role="group" aria-labelledby="choices">
        ${MUTE_TIMES.map(([label, seconds]) => choice(label, 'for', String(seconds)))}
      </div>
      ${isMuted ? html`<div class="choices unmute">${choice('Unmute', 'action', 'unmute')}</div> ` : undefined}
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

/** Each choice is a form of its own, with a hidden field. */
function choice(label: string, name: string, value: string): Html {
  return html`<form method="post">
    <input type="hidden" name="${name}" value="${value}" /><button>${label}</button>
  </form> `;
}

/** Returns a time as people read it: to the minute, UTC. */
function timeOf(at: number): Html {
  const iso = new Date(at).toISOString();
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
