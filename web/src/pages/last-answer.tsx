import { Id } from '../ui/text.js';

/** What a receiver answered last, below its name; nothing if it never did. */
export function LastAnswer({ answer }: { readonly answer: { readonly detail: string } | null | undefined }) {
  if (!answer) return null;
  return (
    <span class="last-answer">
      <Id text={answer.detail} plain />
    </span>
  );
}
