import type { PlainFact } from './model/story.js';

/** Facts with their times, s. Without a fact: time passes until then. */
export type Series = readonly (readonly [second: number, fact?: PlainFact])[];

/** A series, and the messages of a rule for it: their times, s, and states. */
interface Firing {
  readonly series: Series;
  readonly notifies: readonly (readonly [second: number, state: 'firing' | 'resolved' | 'noData'])[];
}

const MINUTE = 60;
const WEEK = 604_800;

/** Returns one fact for each value of a metric. `every`: time between two facts, s. */
function values(metric: string, all: readonly number[], every = MINUTE, begin = 0): Series {
  return all.map((value, i) => [begin + i * every, { [metric]: value }]);
}

/** Returns the same fact again and again. */
function repeated(count: number, fact: PlainFact, every = MINUTE): Series {
  return Array.from({ length: count }, (_, i) => [i * every, fact]);
}

/** A disk that was read-only when it became full. `count`: facts in which it is full and is not, before the last. */
function disk(
  { low, high, end }: Readonly<Record<'low' | 'high' | 'end', number>>,
  count: number,
  every: number,
): Series {
  const facts = [
    ...Array.from({ length: 4 }, () => ({ hdd: low, fsReadonly: 1 })),
    { hdd: high, fsReadonly: 1 },
    ...Array.from({ length: count }, () => ({ hdd: high, fsReadonly: 0 })),
    { hdd: end, fsReadonly: 0 },
  ];
  return facts.map((fact, i) => [i * every, fact]);
}

/** For each rule, a series that it notifies of. The fifth value fills the window. */
export const firingSeries: Readonly<Record<string, Firing>> = {
  'A value over a threshold': {
    series: values('BloodPressure', [1, 1, 1, 1, 1.5, 1.6, 1.7, 1]),
    notifies: [
      [300, 'firing'],
      [360, 'firing'],
    ],
  },
  'A value under a threshold': {
    series: values('humidity', [30, 30, 30, 30, 20, 19, 30]),
    notifies: [[300, 'firing']],
  },
  'An action at most every 30 s': {
    series: values('BloodPressure', [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1.5, 2], 10),
    notifies: [
      [40, 'firing'],
      [70, 'firing'],
      [110, 'firing'],
    ],
  },
  'No signal': {
    series: [...values('temperature', [20, 20, 20], 30), [300], [330, { temperature: 20 }], [400]],
    notifies: [
      [120, 'noData'],
      [390, 'noData'],
    ],
  },
  'A threshold passed several times': {
    series: values('level', [10, 11, 12, 11, 12, 11, 10]),
    notifies: [[300, 'firing']],
  },
  'The average of the last values': {
    series: values('BloodPressure', [1, 2, 1, 2, 1.5, 2, 2, 1, 2]),
    notifies: [300, 360, 420, 480].map((second) => [second, 'firing']),
  },
  'Not equal': {
    series: values('doorStatus', [22, 22, 22, 22, 22, 23, 24, 22, 21]),
    notifies: [
      [300, 'firing'],
      [480, 'firing'],
    ],
  },
  'On below one threshold, off above another': {
    series: values('humidity', [30, 30, 30, 30, 24, 30, 20, 39.8, 40, 30]),
    notifies: [
      [240, 'firing'],
      [480, 'resolved'],
    ],
  },
  'Near a place': {
    series: [
      ...repeated(4, { positionX: 0, positionY: 0 }),
      [240, { positionX: 118_618, positionY: 9_264_160 }],
      [300, { positionX: 0, positionY: 9_764_160 }],
      [360, { positionX: 1_118_618, positionY: 10_264_160 }],
      [420, { positionX: 618_618, positionY: 9_764_160 }],
    ],
    notifies: [
      [240, 'firing'],
      [360, 'firing'],
    ],
  },
  'A state that lasts': {
    series: repeated(17, { temperature: 36 }),
    notifies: [[840, 'firing']],
  },
  HostHighCpuLoad: {
    // The mean stays over 80 with 50, and is 80 with 40.
    series: values('cpu', [...Array<number>(8).fill(90), 50, ...Array<number>(8).fill(90), 40]),
    notifies: [
      [840, 'firing'],
      [1020, 'resolved'],
    ],
  },
  HostOutOfMemory: {
    series: values('mem', [91, 91, 91, 91, 91, 91, 91, 91, 90]),
    notifies: [
      [360, 'firing'],
      [480, 'resolved'],
    ],
  },
  HostOutOfDiskSpace: {
    series: disk({ low: 50, high: 91, end: 90 }, 4, MINUTE),
    notifies: [
      [420, 'firing'],
      [540, 'resolved'],
    ],
  },
  NodeFilesystemSpaceFillingUp: {
    series: disk({ low: 50, high: 81, end: 80 }, 17, 240),
    notifies: [
      [1200 + 3600, 'firing'],
      [5280, 'resolved'],
    ],
  },
  PrometheusTargetMissing: {
    series: [...values('cpu', [10, 100, 100, 100, 100]), [900]],
    notifies: [[360, 'noData']],
  },
  HostSwapIsFillingUp: {
    series: values('swapUsedPct', [75, 75, 75, 75, 81, 75, 70.2, 75, 70]),
    notifies: [
      [360, 'firing'],
      [480, 'resolved'],
    ],
  },
  HostCpuHighIowait: {
    series: values('iowaitPct', [5, 5, 15, 15, 15, 1, 1]),
    notifies: [
      [240, 'firing'],
      [360, 'resolved'],
    ],
  },
  NodeClockSkewDetected: {
    series: values('clockOffset', [...Array<number>(10).fill(0.06), ...Array<number>(6).fill(-0.06), -0.05]),
    notifies: [
      [840, 'firing'],
      [960, 'resolved'],
    ],
  },
  HostOomKillDetected: {
    series: values('oomKills', [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
    notifies: [
      [300, 'firing'],
      [600, 'resolved'],
    ],
  },
  HostCpuIsUnderutilized: {
    // The mean stays under 20 with 50, and is 20 with 60.
    series: [
      ...values('cpu', [10, 10, 10, 10, 10, 50]),
      ...values('cpu', [10, 10, 10, 10, 10, 10, 60], MINUTE, WEEK),
    ],
    notifies: [
      [WEEK + 240, 'firing'],
      [WEEK + 360, 'resolved'],
    ],
  },
};

/** For each rule, a series that holds never, or too short. */
export const quietSeries: Readonly<Record<string, Series>> = {
  'A value over a threshold': values('BloodPressure', [2, 2, 2, 2, 1.5, 1]),
  'A value under a threshold': values('humidity', [10, 10, 10, 10, 20, 21]),
  'An action at most every 30 s': values('BloodPressure', [2, 2, 2, 2, 1, 1, 1], 10),
  'No signal': values('temperature', [20, 20, 20, 20, 20, 20, 20, 20], 59),
  'A threshold passed several times': values('level', [11, 11, 10, 11, 11, 11, 11, 10]),
  'The average of the last values': values('BloodPressure', [2, 2, 2, 2, 2, 2]),
  'Not equal': repeated(7, { doorStatus: 22 }),
  'On below one threshold, off above another': values('humidity', [20, 20, 20, 20, 25, 39, 41]),
  'Near a place': [
    ...repeated(5, { positionX: 118_617, positionY: 9_764_160 }),
    [300, { positionX: 1_118_619, positionY: 9_764_160 }],
    [360, { positionX: 618_618, positionY: 9_264_159 }],
    [420, { positionX: 618_618, positionY: 10_264_161 }],
  ],
  'A state that lasts': values('temperature', [
    ...Array<number>(13).fill(36),
    35,
    ...Array<number>(8).fill(36),
  ]),
  HostHighCpuLoad: [...repeated(14, { cpu: 90 }), ...values('cpu', [10, 90, 90, 90], MINUTE, 840)],
  HostOutOfMemory: values('mem', [91, 91, 91, 91, 91, 90, 91, 91]),
  HostOutOfDiskSpace: [...repeated(8, { hdd: 91, fsReadonly: 1 })],
  NodeFilesystemSpaceFillingUp: repeated(25, { hdd: 80, fsReadonly: 0 }, 240),
  PrometheusTargetMissing: repeated(10, { cpu: 100 }),
  HostSwapIsFillingUp: values('swapUsedPct', [75, 75, 75, 75, 81, 70, 75, 81, 75]),
  HostCpuHighIowait: values('iowaitPct', [5, 5, 15, 15, 10, 5]),
  NodeClockSkewDetected: values('clockOffset', [...Array<number>(14).fill(0.06), 0.05, -0.06, -0.06]),
  HostOomKillDetected: repeated(8, { oomKills: 0 }),
  HostCpuIsUnderutilized: [
    ...repeated(5, { cpu: 10 }),
    ...values('cpu', [90, 10, 10, 10, 10, 10, 10], MINUTE, 300),
    ...values('cpu', [10, 10, 10, 10, 10], MINUTE, WEEK),
  ],
};
