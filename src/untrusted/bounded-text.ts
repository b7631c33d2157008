/**
 * The text of an answer's body, as UTF-8. Reading stops, and the connection ends, once there are more than `largest`
 * bytes: then it throws what `tooLong` makes.
 */
export async function boundedText(
  body: AsyncIterable<Uint8Array> | null,
  largest: number,
  tooLong: () => Error,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the body, and with it the connection.
    if (size > largest) throw tooLong();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
