/** How long a button says that it has copied, ms. */
const SAID_MS = 2_000;

/** Adds a button to each block of code that copies its text. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll('main pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(block, button));
    const frame = document.createElement('div');
    frame.className = 'code';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/** Copies the text of a block. Where the browser does not allow it, as over plain http, the text is selected. */
async function copy(block: Element, button: HTMLButtonElement): Promise<void> {
  const said = (text: string): void => {
    button.textContent = text;
    setTimeout(() => (button.textContent = 'Copy'), SAID_MS);
  };
  try {
    await navigator.clipboard.writeText(block.textContent ?? '');
    said('Copied');
  } catch {
    getSelection()?.selectAllChildren(block);
    said('Selected: press Ctrl-C');
  }
}
