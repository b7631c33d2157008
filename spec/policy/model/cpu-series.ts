import { readFile } from 'node:fs/promises';
import type { PlainRule, Step, Story } from './story.js';

/** The rule of the README's figures with the members of the interface document alone. */
export const PLAIN_RULE: PlainRule = { condition: { cpu: { value: 85, operand: 'greater' } } };

/** The rule that fires once for each overload and notifies when it is over. */
export const QUIET_RULE: PlainRule = {
  condition: { cpu: { value: 85, operand: 'greater', clear: 70 } },
  for: 600,
  repeat: 0,
  resolve: true,
};

/** Reads the CPU series of examples/. `at` is ms since the epoch: its times without a zone are read as UTC. */
async function cpuSeries(): Promise<{ at: number; cpu: number }[]> {
  const text = await readFile(new URL('../../../../examples/ec2-cpu-ac20cd.csv', import.meta.url), 'utf8');
  const [, ...lines] = text.trim().split('\n');
  return lines.map((line) => {
    const [time = '', cpu] = line.split(',');
    return { at: Date.parse(`${time.replace(' ', 'T')}Z`), cpu: Number(cpu) };
  });
}

/** Returns the story of a server that sends the CPU series. Each rule has a subscription from its first measurement. */
export async function cpuStory(rules: Readonly<Record<string, PlainRule>>, gapS = 300): Promise<Story> {
  const series = await cpuSeries();
  const at = series[0]!.at;
  const subscriptions = Object.keys(rules).map((rule): Step => ({
    at,
    do: 'subscribe',
    subscription: rule,
    rule,
  }));
  const facts = series.map(({ at, cpu }): Step => ({ at, do: 'facts', facts: [{ cpu }] }));
  return { rules, generic: [], windowsize: 5, gapS, steps: [...subscriptions, ...facts] };
}
