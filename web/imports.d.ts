declare module '*.css';
declare module '*/docs/receivers.md' {
  /** What scripts/receiver-templates.js reads from the document. */
  const templates: unknown;
  export default templates;
}
