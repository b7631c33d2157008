/**
 * Renders the Markdown documents into dist/docs: `pages.json` has `{name, title, file, sections, html}` of each, `style.css` the
 * stylesheet of all pages below /docs, `script.js` their script, and `icon.svg` their icon. `file` is the source, relative to
 * the root.
 */
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Marked } from 'marked';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const read = (file) => readFileSync(path.join(root, file), 'utf8');
const markdownIn = (folder) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => `${folder}/${name}`);

/** Files with the names of their pages. */
const pages = new Map([
  ['README.md', 'readme'],
  ...markdownIn('docs').map((file) => [file, path.basename(file, '.md')]),
  ['CHANGELOG.md', 'changelog'],
  ...markdownIn('docs/adr').map((file) => [file, `adr/${path.basename(file, '.md')}`]),
]);

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Returns the address of a link in a file; undefined for a file that the service does not show. */
function addressOf(href, file) {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [target, anchor] = href.split('#');
  const found = path.posix.join(path.posix.dirname(file), target);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (found.startsWith('docs/images/')) return `/${found}`;
  if (found === 'docs/adr' || found === 'docs/adr/') return '/docs#contents';
  return pages.has(found) ? `/docs/${pages.get(found)}${hash}` : undefined;
}

/** Returns the anchor of a heading, as GitHub makes it. */
function anchorOf(heading, used) {
  const plain = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const count = used.get(plain) ?? 0;
  used.set(plain, count + 1);
  return count === 0 ? plain : `${plain}-${count}`;
}

function render(file) {
  const used = new Map();
  let title = '';
  const sections = [];
  const marked = new Marked({
    renderer: {
      html: ({ text }) => escaped(text),
      heading({ tokens, depth, text }) {
        const plain = text.replaceAll(/[`*]/g, '');
        if (depth === 1) title ||= plain;
        const id = anchorOf(plain, used);
        sections.push({ id, title: plain, depth, text: '' });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = addressOf(href, file);
        return address === undefined ? text : `<a href="${escaped(address)}">${text}</a>`;
      },
      image({ href, text }) {
        const address = addressOf(href, file);
        return address === undefined
          ? escaped(text)
          : `<img src="${escaped(address)}" alt="${escaped(text)}">`;
      },
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      table(token) {
        const cell = (tag, { tokens, align }) =>
          `<${tag}${align === 'right' ? ' class="right"' : ''}>${this.parser.parseInline(tokens)}</${tag}>`;
        const row = (tag, cells) => `<tr>${cells.map((one) => cell(tag, one)).join('')}</tr>`;
        // An empty heading of a column is a cell.
        const header = token.header.map((one) => cell(one.text === '' ? 'td' : 'th', one)).join('');
        const rows = token.rows.map((cells) => row('td', cells)).join('\n');
        return `<div class="wide" tabindex="0"><table><thead><tr>${header}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  const source = read(file);
  const html = marked.parse(source);
  addTexts(marked.lexer(source), sections);
  return { title: title || path.basename(file, '.md'), sections, html };
}

/** Adds to each section the words below its heading. A heading inside another block has no section of its own. */
function addTexts(tokens, sections) {
  let place = -1;
  for (const { type, raw } of tokens) {
    if (type === 'heading') place += 1;
    else if (sections[place] !== undefined) sections[place].text += plainText(raw);
  }
  for (const section of sections) section.text = section.text.trim();
}

/** Returns Markdown without its signs and without the addresses of links. */
function plainText(markdown) {
  return markdown.replaceAll(/\]\([^)]*\)|[`*|#>[\]]|-{3,}/g, ' ').replaceAll(/\s+/g, ' ');
}

const target = path.join(root, 'dist', 'docs');
mkdirSync(target, { recursive: true });
const rendered = [...pages].map(([file, name]) => ({ name, file, ...render(file) }));
await build({
  absWorkingDir: root,
  entryPoints: ['web/src/documents/script.ts'],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  outfile: path.join(target, 'script.js'),
  logLevel: 'warning',
});
copyFileSync(path.join(root, 'web', 'icon.svg'), path.join(target, 'icon.svg'));
writeFileSync(path.join(target, 'pages.json'), JSON.stringify(rendered));
writeFileSync(
  path.join(target, 'style.css'),
  ['web/src/styles/tokens.css', 'src/openapi/pages/frame.css', 'src/openapi/pages/pages.css']
    .map(read)
    .join(''),
);
