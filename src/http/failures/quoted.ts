/** Characters of foreign text that a message shows at most. */
const SHOWN = 200;

/** Characters of a message, foreign or not. */
const LONGEST_MESSAGE = 4000;

/** Foreign text as it may stand in a message: in quotes, escaped, and no longer than 200 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text);
}

/** A message without control characters, unpaired surrogates, and what goes beyond 4,000 characters. */
export function presentable(message: string): string {
  const text = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE - 1)}…` : message;
  return text.toWellFormed().replaceAll(/\p{Cc}/gu, ' ');
}
