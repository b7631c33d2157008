import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { pageTitle } from '../in-trouble.js';
import { Link } from './link.js';
import { nameText } from './text.js';

interface PageProps {
  /** The document's title, and the heading unless `heading` is given. */
  readonly title: string;
  readonly heading?: ComponentChildren;
  /** The way to this page. */
  readonly crumbs?: readonly { readonly to: string; readonly text: string }[];
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Longest part of a title, characters. */
const TITLE_SHOWN = 100;

let shownBefore = false;

/** The frame of one page: its title, its heading, which takes the focus when the page changes, and its content. */
export function Page({ title, heading, crumbs = [], actions, children }: PageProps) {
  const headline = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    pageTitle.value = nameText(title, TITLE_SHOWN);
  }, [title]);
  useLayoutEffect(() => {
    // At the first page the focus stays where the browser has it.
    if (shownBefore) headline.current?.focus({ preventScroll: true });
    shownBefore = true;
  }, []);
  return (
    <div class="page">
      <header class="page-head">
        {crumbs.length > 0 && (
          <nav class="crumbs" aria-label="Way to this page">
            {crumbs.map(({ to, text }) => (
              <Link key={to} to={to}>
                {text}
              </Link>
            ))}
          </nav>
        )}
        <div class="page-line">
          <h1 ref={headline} tabIndex={-1}>
            {heading ?? title}
          </h1>
          {actions && <div class="page-actions">{actions}</div>}
        </div>
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a page with a heading of its own. */
export function Section({ title, note, actions, children }: SectionProps) {
  return (
    <section class="section">
      <header class="section-head">
        <h2>{title}</h2>
        {note !== undefined && <span class="section-note">{note}</span>}
        {actions && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

interface DetailListProps {
  /** Names and values. `false`: a row that is not there. */
  readonly rows: readonly (readonly [name: string, value: ComponentChildren] | false)[];
  readonly class?: string;
}

/** Names and values, as rows. */
export function DetailList({ rows, class: look = 'detail-list' }: DetailListProps) {
  return (
    <dl class={look}>
      {rows.map(
        (row) =>
          row && (
            <div key={row[0]}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
