/**
 * Lets the console's page import docs/receivers.md. The import is a list: the template of each section that has one, in the form of
 * the page's type `ReceiverTemplate`.
 */
import { readFileSync } from 'node:fs';

/** A plugin of esbuild. */
export const receiverTemplates = {
  name: 'receiver-templates',
  setup({ onLoad }) {
    onLoad({ filter: /\bdocs[\\/]receivers\.md$/ }, ({ path: file }) => ({
      contents: JSON.stringify(templatesOf(readFileSync(file, 'utf8'))),
      loader: 'json',
      watchFiles: [file],
    }));
  },
};

function templatesOf(document) {
  const sections = document.split(/^## /m).filter((text) => text.includes('```text\n'));
  return sections.map((text) => {
    const body = found(text, /^```text\n([^]*?)\n```$/m);
    const headers = found(text, /^- Headers: (?:none|`(.*)`)$/m) ?? '';
    return {
      name: found(text, /^(.+)/),
      url: found(text, /^- Url: `(.*)`$/m),
      headers: Object.fromEntries(headers === '' ? [] : [headers.split(': ')]),
      replace: [...body.matchAll(/"([A-Z_]{2,})"/g)].map(([, part]) => part),
      template: { contentType: found(text, /^- Content-Type: `(.*)`$/m), body },
    };
  });
}

/** Returns the text of a pattern's group; undefined if the group has no part in the match. Throws if there is no match. */
function found(text, pattern) {
  const match = pattern.exec(text);
  if (match === null)
    throw new Error(`docs/receivers.md: a section has no ${pattern}: ${text.slice(0, 100)}`);
  return match[1];
}
