import { MiB } from './worst-bodies.js';

/** A message: its topic and its payload. */
type WorstMessage = (index: number) => readonly [topic: string, payload: string];

const AT = 1_700_000_000_000;
/** Maximum number of members of a message. */
const MEMBERS = 1_000;

/** Returns a topic of the demo tenant, one of eight: messages of different servers are taken at once. */
const topicOf = (index: number): string => `mirzam/demo/web-${index % 8}`;

const members = (nameOf: (member: number) => string) => Array.from({ length: MEMBERS }, (_, i) => nameOf(i));

/** Returns a payload with a value of each metric. */
function measuring(metrics: readonly string[], index: number): string {
  return JSON.stringify({ ...Object.fromEntries(metrics.map((name, i) => [name, i])), at: AT + index });
}

const measured = (nameOf: (member: number) => string): WorstMessage => {
  const metrics = members(nameOf);
  return (index) => [topicOf(index), measuring(metrics, index)];
};

const small = (index: number): string => `{"cpu":${index % 100},"at":${AT + index}}`;

/** The worst known messages of MQTT, by kind. None is longer than a payload or a topic may be, but for one. */
export const worstMessages: Readonly<Record<string, WorstMessage>> = {
  'a thousand metrics': measured((i) => `metric_${i}`),
  'a thousand metrics with long names': measured((i) => `${'n'.repeat(60)}${i}`),
  'a thousand new metrics': (index) => [
    topicOf(index),
    measuring(
      members((i) => `m${index}_${i}`),
      index,
    ),
  ],
  'late metrics': (index) => [topicOf(index), measuring([`m${index % 50}`, 'cpu'], index ^ 0x3f)],
  'a thousand names that are too long': measured((i) => `${'n'.repeat(1_000)}${i}`),
  'a thousand names of other characters': measured((i) => `${'漢'.repeat(340)}${i}`),
  'long ids of servers': (index) => [`mirzam/demo/${'漢'.repeat(21_000)}${index}`, small(index)],
  'long tenants': (index) => [`mirzam/${'漢'.repeat(21_000)}${index}/web-1`, small(index)],
  'many members': (index) => [
    topicOf(index),
    `{${Array.from({ length: 80_000 }, (_, i) => `"a${i}":${i}`).join(',')}}`,
  ],
  'arrays in arrays': (index) => [topicOf(index), '['.repeat(MiB)],
  'a long payload': (index) => [topicOf(index), `{"cpu":1,"note":"${'x'.repeat(MiB - 100)}"}`],
  'a payload that is too long': (index) => [topicOf(index), `{"cpu":1,"note":"${'x'.repeat(1.5 * MiB)}"}`],
  'one server': (index) => ['mirzam/demo/one', small(index)],
  'many servers': (index) => [`mirzam/demo/server-${index}`, small(index)],
  'unknown tenants': (index) => [`mirzam/nobody-${index}/web-1`, small(index)],
};
