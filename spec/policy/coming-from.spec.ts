import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { scenes } from '../e2e/scene.js';
import { firingSeries, quietSeries, type Series } from './coming-from-series.js';
import { play, type Stage } from './model/live-player.js';
import { openStage } from './model/live-stage.js';
import type { PlainRule, Step } from './model/story.js';

const PAGE = readFileSync(new URL('../../../docs/coming-from.md', import.meta.url), 'utf8');
const METRICS = /^METRICS="(.+)"$/m.exec(PAGE)![1]!;
/** The rules of the page by their headings. */
const RULES = new Map(
  [...PAGE.matchAll(/^### (.+)$[^]*?^```json$([^]*?)^```$/gm)].map(([, heading, json]) => [
    heading!,
    JSON.parse(json!) as PlainRule,
  ]),
);

describe('the rules of docs/coming-from.md', () => {
  const scene = scenes();

  it('are ten of Perseo and ten of Prometheus, each with its series', () => {
    const [, perseo, prometheus] = PAGE.split(/^## Ten rules .+$/m);
    for (const part of [perseo!, prometheus!]) expect(part.match(/^### /gm)).to.have.length(10);
    expect([...RULES.keys()]).to.have.members(Object.keys(firingSeries));
    expect(quietSeries).to.have.all.keys(...RULES.keys());
  });

  for (const [heading, rule] of RULES) {
    it(`${heading}: notifies as it should, and not for a series that does not hold`, async () => {
      const stage = await openStage(scene, { METRICS, WINDOW_GAP_S: '300' });
      const { series, notifies } = firingSeries[heading]!;
      expect(notifies, 'what the firing series notifies of').to.not.be.empty;
      expect(await notified(stage, rule, series, 'fires')).to.deep.equal(notifies);
      expect(await notified(stage, rule, quietSeries[heading]!, 'quiet')).to.deep.equal([]);
    });
  }
});

/** Plays a series on a server of its own. Returns the states of the messages with their times, s after its begin. */
async function notified(stage: Stage, rule: PlainRule, series: Series, server: string): Promise<unknown[]> {
  const begin = stage.now + 3_600_000;
  const steps: Step[] = series.map(([second, fact]) => {
    const at = begin + second * 1000;
    return fact === undefined ? { at, do: 'wait' } : { at, do: 'facts', facts: [fact] };
  });
  const subscribe = { at: begin, do: 'subscribe', subscription: 'one', rule: 'one' } as const;
  const story = {
    rules: { one: rule },
    generic: [],
    windowsize: 5,
    gapS: 300,
    steps: [subscribe, ...steps],
  };
  const { messages } = await play(stage, story, server);
  return messages.map(({ at, state }) => [(at - begin) / 1000, state]);
}
