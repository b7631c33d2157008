import { readFile } from 'node:fs/promises';

/** One measurement of a real machine. */
export interface Point {
  readonly at: string;
  /** CPU utilization in percent. */
  readonly cpu: number;
}

/** Reads the CPU series of examples/. Its README names the source. */
export async function readSeries(): Promise<Point[]> {
  const text = await readFile(new URL('../../../../examples/ec2-cpu-ac20cd.csv', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [at = '', cpu = ''] = line.split(',');
      return { at, cpu: Number(cpu) };
    });
}
