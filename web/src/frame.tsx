/** The frame of every page: navigation, the viewer, the state of the event stream. */
import { useEffect, useState } from 'preact/hooks';
import { logOut, messageOf } from './api.js';
import { TroubleCount } from './in-trouble.js';
import { connection } from './live.js';
import { isThere, type PageEntry, pages } from './pages.js';
import { navigate, place } from './router.js';
import { session } from './session.js';
import { SearchBox } from './search-box.js';
import { ShownPage } from './shown-page.js';
import { type Theme, theme } from './theme.js';
import { isWall, watchWall } from './wall.js';
import { Button } from './ui/button.js';
import { Icon, Mark } from './ui/icons.js';
import { Link } from './ui/link.js';
import { StatusRegion, announce } from './ui/status.js';
import { Shape } from './ui/badge.js';
import { Id } from './ui/text.js';
import { Since } from './ui/time.js';

/** The console for somebody who is logged in. */
export function Frame() {
  const [open, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  useEffect(watchWall, []);
  if (isWall.value) {
    return (
      <main id="main" class="wall" tabIndex={-1}>
        <LostBanner />
        <ShownPage />
        <TroubleCount />
      </main>
    );
  }
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div class="frame">
        <header class="rail" onKeyDown={(event) => event.key === 'Escape' && close()}>
          <div class="rail-top">
            <Link to="/console" class="brand" onFollow={close}>
              <Mark />
              <span>Mirzam</span>
            </Link>
            <ConnectionState />
            <SearchBox />
            <span class="menu-button">
              <Button
                kind="quiet"
                label={open ? 'Close the menu' : 'Open the menu'}
                expanded={open}
                controls="menu"
                onClick={() => setOpen(!open)}
              >
                <Icon name={open ? 'close' : 'menu'} />
              </Button>
            </span>
          </div>
          <div id="menu" class={open ? 'menu open' : 'menu'}>
            <Navigation onFollow={close} />
            <Person />
          </div>
        </header>
        <main id="main" tabIndex={-1}>
          <LostBanner />
          <ShownPage />
        </main>
      </div>
      <StatusRegion />
      <TroubleCount />
    </>
  );
}

/** Groups of the navigation, with the pages that this viewer has. */
function Navigation({ onFollow }: { readonly onFollow: () => void }) {
  const shown = pages.filter((page) => page.nav !== undefined && isThere(page, session.value!));
  const current = currentEntry(shown, place.value.path);
  const groups = [...new Set(shown.map(({ nav }) => nav!.group))];
  return (
    <nav class="nav" aria-label="Console">
      {groups.map((group) => (
        <div key={group} class="nav-group">
          <h2>{group}</h2>
          <ul>
            {shown
              .filter(({ nav }) => nav!.group === group)
              .map((page) => (
                <li key={page.pattern}>
                  <Link to={page.pattern} current={page === current} onFollow={onFollow}>
                    {page.nav!.label}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** Returns the entry with the longest path that the present one begins with. */
function currentEntry(entries: readonly PageEntry[], path: string): PageEntry | undefined {
  return entries
    .filter(({ pattern }) => path === pattern || (pattern !== '/console' && path.startsWith(`${pattern}/`)))
    .toSorted((a, b) => b.pattern.length - a.pattern.length)[0];
}

/** The viewer, the theme, and the log out. */
function Person() {
  const { viewer, csrf, version, logins } = session.value!;
  const withCookie = csrf !== null;
  const leave = (): Promise<void> =>
    logOut().then(
      () => navigate('/console'),
      (error: unknown) => announce(messageOf(error), 'bad'),
    );
  return (
    <div class="person">
      <p class="who">
        {viewer?.kind === 'tenant' ? (
          <>
            tenant <Id text={viewer.tenantName} plain />
          </>
        ) : (
          `operator${withCookie ? '' : ' (this machine)'}`
        )}
      </p>
      {viewer?.user !== undefined && (
        <p class="who-name">
          <Id text={viewer.user} plain />
        </p>
      )}
      {!withCookie && logins.some((way) => way !== 'operatorToken') && (
        <Link to="/console/login">Log in as a tenant</Link>
      )}
      <div class="person-line">
        <ThemeSwitch />
        {withCookie && (
          <Button kind="quiet" onClick={() => void leave()}>
            <Icon name="out" /> Log out
          </Button>
        )}
      </div>
      <p class="version">
        <span>Version {version}</span> <a href="/docs">Documents</a>
      </p>
    </div>
  );
}

const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** Light, dark, or as the system has it. */
function ThemeSwitch() {
  return (
    <div class="theme-switch" role="group" aria-label="Theme">
      {themes.map((name) => (
        <button
          key={name}
          type="button"
          aria-label={`Theme: ${name}`}
          title={`Theme: ${name}`}
          aria-pressed={theme.value === name}
          onClick={() => {
            theme.value = name;
          }}
        >
          <Icon name={name} />
        </button>
      ))}
    </div>
  );
}

/** The state of the event stream. */
function ConnectionState() {
  const { state } = connection.value;
  const tone = { live: 'good', connecting: 'idle', lost: 'bad' } as const;
  return (
    <span class={`connection ${state}`} data-state={state}>
      <Shape tone={tone[state]} />
      {state === 'lost' ? 'not live' : state}
    </span>
  );
}

/** Says since when what is shown is no longer live. */
function LostBanner() {
  const { state, since } = connection.value;
  return (
    <>
      {/* The time in the banner changes each second: it is not to be read out each second. */}
      <p class="hidden" role="status">
        {state === 'lost' && 'Connection lost'}
      </p>
      {state === 'lost' && (
        <p class="banner">
          <Shape tone="bad" />
          <span>
            Connection lost <Since at={since} /> ago. This page shows the state of that time. It is updated
            once the connection is back.
          </span>
        </p>
      )}
    </>
  );
}
