/** Applies the viewer's theme before the first paint. It runs before the page's script, which keeps it (theme.ts). */
try {
  const theme = localStorage.getItem('mirzam-theme');
  if (theme !== null) document.documentElement.dataset['theme'] = theme;
} catch {
  // A browser that stores nothing has no theme of its own.
}
