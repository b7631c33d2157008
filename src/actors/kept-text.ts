const texts = new WeakMap<object, string>();

/** Returns the text of `JSON.stringify(value)`, made once for each value: for members that most commits leave as they are. */
export function keptText(value: object): string {
  let text = texts.get(value);
  if (text === undefined) texts.set(value, (text = JSON.stringify(value)));
  return text;
}
