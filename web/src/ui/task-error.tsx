/** The error of a task, which is read aloud; nothing without one. */
export function TaskError({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="error" role="alert">
      {text}
    </p>
  );
}
