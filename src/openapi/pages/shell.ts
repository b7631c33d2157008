import { type Html, html } from '../../untrusted/html.js';

/** An entry of a list of contents. */
export interface Entry {
  readonly href: string;
  readonly text: string;
}

/** A titled list of entries. */
export interface EntryGroup {
  readonly title: string;
  /** True if the list is shown from the start. */
  readonly open?: boolean;
  readonly entries: readonly Entry[];
}

/**
 * Returns a whole page. `contents` is the list beside it. On a narrow screen, where it would be above the page, it is shown
 * while it is the target of the address: without a script, and away again with a link in it.
 */
export function shell(title: string, contents: readonly EntryGroup[], main: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Mirzam</title>
        <link rel="stylesheet" href="/docs/style.css" />
        <link rel="icon" href="/docs/icon.svg" />
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <strong>Mirzam</strong>
          <a class="narrow" href="#contents">Contents</a>
          <a href="/docs">API and documents</a>
          <a href="/openapi.json">openapi.json</a>
          <a href="/console">Console</a>
        </header>
        <div class="page">
          <nav class="contents" id="contents" aria-label="Contents" tabindex="0">
            <a class="narrow" href="#main">Close the contents</a>
            ${contents.map(
              ({ title, open, entries }) =>
                html`<details${open === true ? ' open' : ''}>
<summary>${title}</summary>
<ul>
${entries.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li> `)}</ul>
</details>
`,
            )}
          </nav>
          <main id="main">${main}</main>
        </div>
      </body>
    </html> `;
}
