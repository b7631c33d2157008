/** The page of the present place: found, allowed, loaded, shown. */
import { effect, useComputed } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useLayoutEffect, useState } from 'preact/hooks';
import type { SessionView } from '../../src/console/shapes.js';
import { reopened } from './live.js';
import { type PageEntry, pages } from './pages.js';
import { match, place, wantedScroll } from './router.js';
import { session } from './session.js';
import { Empty, Failed, Loading } from './ui/answer.js';
import { Link } from './ui/link.js';
import { Page } from './ui/page.js';

type Loaded = ComponentType<Record<string, string>>;

const loaded = new Map<PageEntry, Loaded>();

/** The page of the present place, or why it is not shown. */
export function ShownPage() {
  const path = useComputed(() => place.value.path).value;
  const found = findPage(path);
  if (found === undefined) return <Denied {...NO_PAGE} />;
  const denied = denial(found.entry, session.value!);
  if (denied !== undefined) return <Denied {...denied} />;
  return <LoadedPage key={path} entry={found.entry} parameters={found.parameters} />;
}

function findPage(path: string) {
  for (const entry of pages) {
    const parameters = match(entry.pattern, path);
    if (parameters !== undefined) return { entry, parameters };
  }
  return undefined;
}

const NO_PAGE = {
  title: 'No such page',
  text: 'The console has no page at this address.',
  login: false,
};

const missing: Readonly<Record<keyof SessionView['parts'], string>> = {
  ledger: 'The ledger is off: this service is started with LEDGER=off.',
  inbox: 'There is no inbox: mails go to the mail server of SMTP_URL.',
  demo: 'There is no demo in production.',
};

function denial(entry: PageEntry, { viewer, parts }: SessionView) {
  if (entry.only !== undefined && viewer?.kind !== entry.only) {
    const who = entry.only === 'operator' ? 'the operator' : 'a tenant';
    return {
      title: 'No access',
      text: `This page is for ${who}. Log in as ${who} to see it.`,
      login: true,
    };
  }
  if (entry.needs !== undefined && !parts[entry.needs]) {
    return { title: 'Not available', text: missing[entry.needs], login: false };
  }
  return undefined;
}

function Denied({ title, text, login }: { title: string; text: string; login: boolean }) {
  const next = `/console/login?next=${encodeURIComponent(place.value.path)}`;
  return (
    <Page title={title}>
      <Empty
        title={text}
        text={login ? <Link to={next}>Log in</Link> : <Link to="/console">Overview</Link>}
      />
    </Page>
  );
}

/** Loads the document again: a failed import stays failed until then. */
function reload(): void {
  window.location.reload();
}

function LoadedPage({ entry, parameters }: { entry: PageEntry; parameters: Record<string, string> }) {
  const [Shown, setShown] = useState<Loaded | undefined>(() => loaded.get(entry));
  const [fault, setFault] = useState(false);
  const [broken, repair] = useErrorBoundary((error: unknown) => console.error(error));
  useEffect(() => {
    if (Shown !== undefined) return;
    entry.load().then(
      (page) => {
        loaded.set(entry, page);
        setShown(() => page);
      },
      () => setFault(true),
    );
  }, []);
  useScroll();
  useEffect(() => {
    if (!fault) return undefined;
    const begun = reopened.peek();
    return effect(() => {
      if (reopened.value !== begun) reload();
    });
  }, [fault]);
  if (fault) {
    const message = 'This page could not be loaded: the service does not answer, or was updated.';
    return (
      <Page title="Not loaded">
        <Failed message={message} again={reload} />
      </Page>
    );
  }
  if (broken !== undefined) {
    return (
      <Page title="Not shown">
        <Failed message={`This page failed: ${String(broken)}`} again={repair} />
      </Page>
    );
  }
  return Shown === undefined ? <Loading /> : <Shown {...parameters} />;
}

/** Restores the scroll position of an entry of the history, once the page is tall enough for it. */
function useScroll(): void {
  useLayoutEffect(() => {
    const wanted = wantedScroll.peek();
    if (wanted === undefined) return undefined;
    wantedScroll.value = undefined;
    window.scrollTo(0, wanted);
    if (wanted === 0) return undefined;
    const watch = new ResizeObserver(() => {
      if (document.documentElement.scrollHeight - window.innerHeight < wanted) return;
      window.scrollTo(0, wanted);
      watch.disconnect();
    });
    watch.observe(document.body);
    const end = (): void => watch.disconnect();
    const ends = ['wheel', 'touchstart', 'keydown'] as const;
    for (const type of ends) window.addEventListener(type, end, { once: true, passive: true });
    return () => {
      end();
      for (const type of ends) window.removeEventListener(type, end);
    };
  }, []);
}
