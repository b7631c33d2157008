import { type Html, html } from '../../untrusted/html.js';

/** The star of the console. */
const MARK = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
  <path d="M14.6 3.4 16.4 9l5.6 1.8-5.6 1.8-1.8 5.6-1.8-5.6L7.2 10.8 12.8 9z" fill="currentColor" />
  <path d="m5 14.2.9 2.7 2.7.9-2.7.9L5 21.4l-.9-2.7-2.7-.9 2.7-.9z" fill="var(--accent)" />
</svg>`;

/** An entry of a list of contents. */
export interface Entry {
  readonly href: string;
  readonly text: string;
  /** True for the page that is shown. */
  readonly current?: boolean;
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
 * while it is the target of the address: without a script, and away again with a link in it. The script applies the theme of
 * the console before the first paint, and adds the search and the buttons that copy.
 */
export function shell(title: string, contents: readonly EntryGroup[], main: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Mirzam</title>
        <link rel="stylesheet" href="/docs/style.css" />
        <link rel="icon" href="/docs/icon.svg" />
        <script src="/docs/script.js"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/docs">${MARK} Mirzam <span>Documents</span></a>
          <form class="search" role="search" hidden>
            <input
              type="search"
              aria-label="Search the documents"
              placeholder="Search ( / )"
              autocomplete="off"
            />
            <div class="found" hidden>
              <p role="status"></p>
              <ul></ul>
            </div>
          </form>
          <a class="narrow" href="#contents">Contents</a>
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
${entries.map(
  ({ href, text, current }) =>
    html`<li><a href="${href}" ${current === true ? html` aria-current="page"` : ''}>${text}</a></li> `,
)}</ul>
</details>
`,
            )}
          </nav>
          <main id="main">${main}</main>
        </div>
      </body>
    </html> `;
}
