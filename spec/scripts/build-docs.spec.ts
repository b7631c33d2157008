import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { type Fixture, makeFixture, repository } from './fixture.js';

interface Page {
  readonly name: string;
  readonly title: string;
  readonly sections: readonly { readonly id: string; readonly depth: number; readonly text: string }[];
  readonly html: string;
}

describe('the pages of Markdown documents', () => {
  let fixture: Fixture;
  beforeEach(() => {
    fixture = makeFixture();
    symlinkSync(path.join(repository, 'node_modules'), path.join(fixture.folder, 'node_modules'));
    fixture.copy(
      'scripts/build-docs.js',
      'web/icon.svg',
      'web/src/styles/tokens.css',
      'src/openapi/pages/frame.css',
      'src/openapi/pages/pages.css',
      'web/src/early-theme.ts',
      'web/src/documents/script.ts',
      'web/src/documents/search.ts',
      'web/src/documents/copy-buttons.ts',
    );
  });
  afterEach(() => fixture.remove());

  /** Builds a README and two documents. Returns the pages by name. */
  async function built(readme: string): Promise<Readonly<Record<string, Page>>> {
    fixture.write({
      'README.md': readme,
      'CHANGELOG.md': '# Changelog\n',
      'docs/one.md': '# One\n\n## Same\n\n## Same\n',
      'docs/adr/0001-first.md': '# 1. First\n\nSee [one](../one.md#same-1).\n',
      'package.json': '{"type": "module"}',
    });
    expect(await fixture.node('scripts/build-docs.js')).to.deep.equal({ status: 0, stdout: '', stderr: '' });
    const text = readFileSync(path.join(fixture.folder, 'dist/docs/pages.json'), 'utf8');
    return Object.fromEntries((JSON.parse(text) as readonly Page[]).map((page) => [page.name, page]));
  }

  it('escape HTML of the source, inline and in blocks', async () => {
    const { readme } = await built(
      '# A & B\n\n<script>alert(1)</script>\n\nText <img src=x onerror=alert(1)> `<b>`\n',
    );
    expect(readme!.html).not.to.match(/<script|<img|<b>/);
    expect(readme!.html).to.include('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(readme!.title).to.equal('A & B');
  });

  it('link to each other, with the anchors of GitHub', async () => {
    const pages = await built(
      '# Title\n\n[one](docs/one.md#same) [decisions](docs/adr) [licence](LICENSE) ![p](docs/images/a.png)\n',
    );
    expect(pages['readme']!.html).to.include('<a href="/docs/one#same">one</a>');
    expect(pages['readme']!.html).to.include('<a href="/docs#contents">decisions</a>');
    expect(pages['readme']!.html).to.include(' licence ');
    expect(pages['readme']!.html).to.include('<img src="/docs/images/a.png" alt="p">');
    expect(pages['adr/0001-first']!.html).to.include('<a href="/docs/one#same-1">one</a>');
    expect(pages['one']!.sections.map(({ id }) => id)).to.deep.equal(['one', 'same', 'same-1']);
  });

  it('have the words of each section for the search', async () => {
    const { readme } = await built(
      '# Title\n\nFirst [link](https://example.org/x).\n\n## Next\n\n| `A_B` | *what* |\n| --- | --- |\n| c | d |\n',
    );
    expect(readme!.sections).to.deep.equal([
      { id: 'title', title: 'Title', depth: 1, text: 'First link .' },
      { id: 'next', title: 'Next', depth: 2, text: 'A_B what c d' },
    ]);
  });

  it('link to no address that runs a script', async () => {
    const { readme } = await built(
      '# Title\n\n[x](javascript:alert) [y](data:text/html,z) [z](vbscript:a)\n',
    );
    expect(readme!.html).not.to.match(/href="(?:javascript|data|vbscript)/);
  });
});
