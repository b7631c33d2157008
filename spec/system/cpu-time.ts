/**
 * Returns the CPU time of this process during some work, ms: that of all its threads, so it includes the collection of garbage.
 * Other processes do not lengthen it.
 */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
