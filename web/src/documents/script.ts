/** The script of the pages below /docs. It runs before the first paint, for the theme; the rest needs the page. */
import '../early-theme.js';
import { addCopyButtons } from './copy-buttons.js';
import { startSearch } from './search.js';

document.addEventListener('DOMContentLoaded', () => {
  addCopyButtons();
  startSearch();
});
