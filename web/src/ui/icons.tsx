/** Drawings of the console. They are decoration: the text beside each says the same. */
import type { ComponentChildren } from 'preact';

/** The star that rises before Sirius: a small one ahead of a great one. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path d="M14.6 3.4 16.4 9l5.6 1.8-5.6 1.8-1.8 5.6-1.8-5.6L7.2 10.8 12.8 9z" fill="currentColor" />
      <path d="m5 14.2.9 2.7 2.7.9-2.7.9L5 21.4l-.9-2.7-2.7-.9 2.7-.9z" fill="var(--accent)" />
    </svg>
  );
}

const drawings = {
  menu: <path d="M3 5h10M3 8h10M3 11h10" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="7" height="7" rx="1.2" />
      <path d="M10.5 3.5H4.7A1.2 1.2 0 0 0 3.5 4.7v5.8" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="3.8" />
      <path d="m9.8 9.8 3.4 3.4" />
    </>
  ),
  done: <path d="m3.5 8.5 3 3 6-7" />,
  out: <path d="M6 3.5H3.5v9H6M9.5 5 12.5 8l-3 3M12 8H6.5" />,
  light: (
    <>
      <circle cx="8" cy="8" r="2.6" />
      <path d="M8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1" />
    </>
  ),
  dark: <path d="M12.8 9.6A5.2 5.2 0 0 1 6.4 3.2a5.2 5.2 0 1 0 6.4 6.4z" />,
  system: (
    <>
      <circle cx="8" cy="8" r="5.2" />
      <path d="M8 2.8a5.2 5.2 0 0 1 0 10.4z" fill="currentColor" />
    </>
  ),
  next: <path d="m6.5 4 4 4-4 4" />,
  back: <path d="m9.5 4-4 4 4 4" />,
} satisfies Record<string, ComponentChildren>;

/** A line drawing of 16 by 16. */
export function Icon({ name }: { readonly name: keyof typeof drawings }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      {drawings[name]}
    </svg>
  );
}
