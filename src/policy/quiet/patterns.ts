/**
 * Returns the test whether one of some patterns stands for a server. `*` stands for any characters, also none; all others stand
 * for themselves.
 */
export function anyOf(patterns: readonly string[]): (serverId: string) => boolean {
  const each = patterns.map(testOf);
  return (serverId) => each.some((test) => test(serverId));
}

function testOf(pattern: string): (serverId: string) => boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (serverId) => serverId === pattern;
  const pieces = others.filter((piece) => piece !== '');
  return (serverId) => {
    if (!serverId.startsWith(first) || !serverId.endsWith(last)) return false;
    let at = first.length;
    // The first place of each piece leaves the most room for the others.
    for (const piece of pieces) {
      const found = serverId.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return serverId.length - last.length >= at;
  };
}
