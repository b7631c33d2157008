/** The last segment of the path in a Location header, absolute or not; undefined where there is none. */
export function lastSegment(location: string | null): string | undefined {
  if (location === null || !URL.canParse(location, 'http://broker/')) return undefined;
  const encoded = new URL(location, 'http://broker/').pathname.split('/').at(-1);
  try {
    return decodeURIComponent(encoded ?? '');
  } catch {
    return undefined;
  }
}
