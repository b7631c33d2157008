/** The search of the pages below /docs, in an index that is loaded with the first use. */

/** A section: `[title, page, address, text]`. */
type Entry = readonly [title: string, page: string, address: string, text: string];

interface Indexed {
  readonly entry: Entry;
  readonly title: string;
  /** All by which it is found, in lower case. */
  readonly all: string;
}

const MOST = 12;
/** Characters of a text before and after the first word that was found. */
const AROUND = 60;

/** Shows the search field, and searches while the reader types. `/` and Ctrl-K lead to it, arrows through what is found. */
export function startSearch(): void {
  const form = document.querySelector<HTMLFormElement>('form.search')!;
  const input = form.querySelector('input')!;
  const found = form.querySelector<HTMLElement>('.found')!;
  const status = found.querySelector('p')!;
  const list = found.querySelector('ul')!;
  form.hidden = false;

  let loaded: Promise<readonly Indexed[]> | undefined;
  const load = (): Promise<readonly Indexed[]> => (loaded ??= loadIndex());
  const links = (): readonly HTMLAnchorElement[] => [...list.querySelectorAll('a')];
  const close = (): void => {
    found.hidden = true;
  };

  const search = async (): Promise<void> => {
    const words = wordsOf(input.value);
    if (words.length === 0) return close();
    const query = input.value;
    let matches: readonly Indexed[];
    try {
      matches = matching(await load(), words);
    } catch {
      loaded = undefined;
      matches = [];
      status.textContent = 'The search could not be loaded. Try again.';
      found.hidden = false;
      return;
    }
    // The reader typed on meanwhile.
    if (input.value !== query) return;
    const shown = matches.slice(0, MOST);
    status.textContent =
      matches.length === 0
        ? `Nothing has “${query.trim()}”.`
        : `${matches.length} found${matches.length > MOST ? `, the best ${MOST}` : ''}`;
    list.replaceChildren(...shown.map(({ entry }) => itemOf(entry, words)));
    found.hidden = false;
  };

  const step = (by: number): void => {
    const all = links();
    const next = all.indexOf(document.activeElement as HTMLAnchorElement) + by;
    if (next < 0) input.focus();
    else all[Math.min(next, all.length - 1)]?.focus();
  };

  input.addEventListener('focus', () => void load().catch(() => (loaded = undefined)));
  input.addEventListener('input', () => void search());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    links()[0]?.click();
  });
  list.addEventListener('click', close);
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      close();
      input.focus();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      step(event.key === 'ArrowDown' ? 1 : -1);
    }
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    const isKey = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isKey) return;
    event.preventDefault();
    input.select();
    input.focus();
  });
  document.addEventListener('click', (event) => {
    if (!form.contains(event.target as Node)) close();
  });
}

async function loadIndex(): Promise<readonly Indexed[]> {
  const response = await fetch('/docs/search-index');
  if (!response.ok) throw new Error(`search-index: ${response.status}`);
  const entries = (await response.json()) as readonly Entry[];
  return entries.map((entry) => ({
    entry,
    title: entry[0].toLowerCase(),
    all: `${entry[0]} ${entry[1]} ${entry[3]}`.toLowerCase(),
  }));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Returns what has all words, the best first: in the title, then elsewhere. */
function matching(all: readonly Indexed[], words: readonly string[]): readonly Indexed[] {
  const query = words.join(' ');
  const rank = ({ title }: Indexed): number => {
    if (title === query) return 0;
    if (title.startsWith(query)) return 1;
    return words.every((word) => title.includes(word)) ? 2 : 3;
  };
  return all
    .filter((one) => words.every((word) => one.all.includes(word)))
    .map((one) => ({ one, rank: rank(one) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

function itemOf([title, page, address, text]: Entry, words: readonly string[]): HTMLLIElement {
  const link = document.createElement('a');
  link.href = address;
  for (const [name, content] of [
    ['strong', title],
    ['span', page],
    ['small', excerptOf(text, words)],
  ] as const) {
    const part = document.createElement(name);
    part.textContent = content;
    link.append(part, ' ');
  }
  const item = document.createElement('li');
  item.append(link);
  return item;
}

/** Returns the part of a text around the first word that it has. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.max(0, Math.min(...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)));
  if (!Number.isFinite(at)) return text.slice(0, 2 * AROUND);
  const from = Math.max(0, at - AROUND);
  return `${from > 0 ? '…' : ''}${text.slice(from, at + AROUND)}${at + AROUND < text.length ? '…' : ''}`;
}
