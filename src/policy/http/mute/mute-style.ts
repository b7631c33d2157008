/** The style of the page that mutes: for phones first, light and dark. */
export const MUTE_STYLE = `
:root { color-scheme: light dark; --ground: #f6f7f9; --surface: #fff; --ink: #12161d; --quiet: #4a5362;
  --line: #c9ced8; --accent: #2754d4; --on-accent: #fff; --warn: #8a5300; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1015; --surface: #141920; --ink: #e7eaef; --quiet: #aab3c1;
    --line: #3a4350; --accent: #8fb1ff; --on-accent: #0b1533; --warn: #e9bb6c; }
}
*, *::before, *::after { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  color: var(--ink); background: var(--ground); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; padding: 16px; }
main { max-width: 480px; margin: 0 auto; padding: 20px; background: var(--surface);
  border: 1px solid var(--line); border-radius: 10px; overflow-wrap: anywhere; }
h1 { margin: 0 0 12px; font-size: 21px; line-height: 1.3; }
p { margin: 0 0 12px; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 14px; margin: 0 0 16px; }
dt { color: var(--quiet); }
dd { margin: 0; }
.muted { color: var(--warn); font-weight: 600; }
.quiet { color: var(--quiet); font-size: 14px; }
.choices { display: flex; flex-wrap: wrap; gap: 10px; margin: 0 0 16px; }
form { flex: 1 1 120px; }
button { width: 100%; min-height: 46px; padding: 8px 14px; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: 8px; }
.unmute button { color: var(--ink); background: var(--surface); border-color: var(--quiet); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
