import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const root = new URL('../../../', import.meta.url);
const pages = ['README.md', 'CHANGELOG.md', ...pagesIn('docs/'), ...pagesIn('docs/adr/')];

function pagesIn(folder: string): string[] {
  return readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => folder + name);
}

function textOf(page: string): string {
  return readFileSync(new URL(page, root), 'utf8');
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe('the pages of the repository', () => {
  it('link to pages and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
        .filter(([, path, anchor]) => {
          const target = new URL(path!, new URL(page, root));
          const file = path === '' ? new URL(page, root) : target;
          if (!existsSync(file)) return true;
          return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('name files and folders that exist', () => {
    const missing = pages.flatMap((page) =>
      [...textOf(page).matchAll(/(?<![\w/.])(?:src|spec|scripts|contracts|bench|docs|deploy)\/[\w./-]*\w/g)]
        .map(([path]) => path)
        .filter((path) => !existsSync(new URL(path, root)))
        .map((path) => `${page}: ${path}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('have decision records of one page, numbered without gaps, each with context, decision and consequences', () => {
    const records = pagesIn('docs/adr/').toSorted();
    const numbers = records.map((page) => Number(page.slice('docs/adr/'.length).split('-')[0]));
    expect(numbers).to.deep.equal(records.map((_, i) => i + 1));
    for (const page of records) {
      const text = textOf(page);
      const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
      expect(headings, page).to.deep.equal(['Context', 'Decision', 'Consequences']);
      // The first one is also the map of the repository.
      expect(text.split('\n').length, page).to.be.at.most(page === records[0] ? 110 : 60);
    }
  });

  it('tell the life of a fact and of a transaction, each in twenty files that exist', () => {
    const [map] = pagesIn('docs/adr/').toSorted();
    const lives = textOf(map!).split('**The life of a ').slice(1);
    expect(lives.map((life) => life.split('*')[0])).to.deep.equal(['fact', 'transaction']);
    for (const life of lives) {
      const steps = [...life.matchAll(/^\d+\. `([^`]+)` \S/gm)].map(([, file]) => file!);
      expect(new Set(steps).size).to.equal(20);
      expect(steps.filter((file) => !existsSync(new URL(file, root)))).to.deep.equal([]);
    }
  });
});
