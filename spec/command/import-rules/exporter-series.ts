import { oneOf, seeded } from '../../faults/stage/random.js';

/** A series of a node exporter in the notation of promtool. */
export interface InputSeries {
  readonly series: string;
  readonly values: string;
}

/** The value of a series at each step. */
type Values = readonly number[];

/** When the series are sampled. */
export interface Sampling {
  readonly steps: number;
  /** Time of a step, s. */
  readonly seconds: number;
}

/** What a metric has, by the rest of its name: `levels` are those of a gauge, `rates` those of a counter, per second. */
interface Metric {
  readonly name: string;
  readonly labels: readonly string[];
  readonly levels?: readonly number[];
  readonly rates?: readonly number[];
}

const DEVICES = ['device="sda"', 'device="sdb"'];
const NETWORKS = ['device="eth0"', 'device="eth1"'];
const DISKS = ['/', '/data'].map((path, i) => `device="sd${'ab'[i]}",fstype="ext4",mountpoint="${path}"`);
const FREE = [0.01, 0.02, 0.04, 0.07, 0.11, 0.3, 0.6, 0.86, 0.95];
const SHARES = [0.05, 0.4, 0.72, 0.78, 0.85, 0.93];
const SWITCH = [0, 1];

const of = (levels: readonly number[], ...names: readonly string[]): readonly Metric[] =>
  names.map((name) => ({ name, labels: [''], levels }));
const ofEach = (labels: readonly string[], levels: readonly number[], ...names: readonly string[]) =>
  of(levels, ...names).map((metric) => ({ ...metric, labels }));
const counted = (labels: readonly string[], rates: readonly number[], ...names: readonly string[]) =>
  names.map((name): Metric => ({ name, labels, rates }));

/** What alerts of hosts read. A share has the total 1, so that its levels are shares. Counters stand still at times. */
const METRICS: readonly Metric[] = [
  ...of(SWITCH, 'up', 'node_textfile_scrape_error', 'node_timex_sync_status', 'node_hwmon_temp_alarm'),
  ...of([0.5, 1.5, 3, 5, 9], 'node_load1', 'node_load5', 'node_load15'),
  ...of([1], 'node_memory_MemTotal_bytes', 'node_memory_SwapTotal_bytes'),
  ...of([1, 2], 'node_uname_info'),
  ...of([1], 'node_nf_conntrack_entries_limit', 'node_filefd_maximum'),
  ...of(FREE, 'node_memory_MemAvailable_bytes', 'node_memory_MemFree_bytes', 'node_memory_SwapFree_bytes'),
  ...of(SHARES, 'node_nf_conntrack_entries', 'node_filefd_allocated'),
  ...of([0, 1, -1, 0.06, -0.06], 'node_timex_offset_seconds'),
  ...of([1, 15, 20], 'node_timex_maxerror_seconds'),
  ...of([0, 5], 'node_vmstat_pswpout'),
  ...ofEach(DISKS, FREE, 'node_filesystem_avail_bytes', 'node_filesystem_files_free'),
  ...ofEach(DISKS, [1], 'node_filesystem_size_bytes', 'node_filesystem_files'),
  ...ofEach(DISKS, [0, 0, 1], 'node_filesystem_readonly', 'node_filesystem_device_error'),
  ...ofEach(['sensor="1"', 'sensor="2"'], [40, 79, 90], 'node_hwmon_temp_celsius'),
  ...ofEach(['sensor="1"', 'sensor="2"'], [80], 'node_hwmon_temp_max_celsius'),
  ...ofEach(['sensor="1"', 'sensor="2"'], SWITCH, 'node_hwmon_temp_crit_alarm_celsius'),
  ...ofEach(['name="a",state="failed"', 'name="b",state="failed"'], SWITCH, 'node_systemd_unit_state'),
  ...ofEach(['device="sda",state="active"', 'device="sdb",state="active"'], [1, 2], 'node_md_disks'),
  ...ofEach(['device="sda",state="failed"'], SWITCH, 'node_md_disks'),
  ...ofEach(DEVICES, [2], 'node_md_disks_required'),
  ...ofEach(NETWORKS, [1, 2], 'node_bonding_active'),
  ...ofEach(NETWORKS, [2], 'node_bonding_slaves'),
  ...ofEach(NETWORKS, [1_000], 'node_network_speed_bytes'),
  ...['idle', 'user', 'iowait', 'steal'].flatMap((mode) =>
    counted(
      ['0', '1'].map((cpu) => `cpu="${cpu}",mode="${mode}"`),
      mode === 'idle' ? [0.02, 0.15, 0.3, 0.85, 0.95] : [0.01, 0.05, 0.3],
      'node_cpu_seconds_total',
    ),
  ),
  ...counted([''], [10, 400, 2_000], 'node_vmstat_pgmajfault'),
  ...counted([''], [100, 300, 3_000], 'node_context_switches_total'),
  ...counted([''], [0, 0, 0.01], 'node_vmstat_oom_kill', 'node_edac_correctable_errors_total'),
  ...counted([''], [0, 1], 'node_edac_uncorrectable_errors_total'),
  ...counted(DEVICES, [0.1, 0.7, 0.9], 'node_disk_io_time_seconds_total'),
  ...counted(
    DEVICES,
    [0.2, 0.5, 3],
    'node_disk_read_time_seconds_total',
    'node_disk_write_time_seconds_total',
  ),
  ...counted(DEVICES, [0, 10, 20], 'node_disk_reads_completed_total', 'node_disk_writes_completed_total'),
  ...counted(
    NETWORKS,
    [100, 700, 900],
    'node_network_receive_bytes_total',
    'node_network_transmit_bytes_total',
  ),
  ...counted(
    NETWORKS,
    [0, 0.1, 0.8, 3],
    'node_network_receive_errs_total',
    'node_network_transmit_errs_total',
  ),
  ...counted(
    NETWORKS,
    [0, 100, 120],
    'node_network_receive_packets_total',
    'node_network_transmit_packets_total',
  ),
];

/** Draws for how many steps a value stays near a level. */
type Lasting = () => number;

/**
 * Returns the series of node exporters, drawn from a seed. A value stays near a level for 2 steps up to 60 % of all, and on the
 * last server for 60 % and more. So some alerts hold for a short time, and others for a long one. Counters restart at times.
 */
export function exporterSeries(
  servers: readonly string[],
  sampling: Sampling,
  seed: number,
): readonly InputSeries[] {
  const random = seeded(seed);
  const { steps } = sampling;
  const changing: Lasting = () => Math.ceil(2 * (steps * 0.3) ** random());
  const slow: Lasting = () => Math.ceil(steps * (0.6 + 0.4 * random()));
  return servers.flatMap((server, i) => {
    const lasting = i === servers.length - 1 ? slow : changing;
    return METRICS.flatMap(({ name, labels: all, levels = [], rates }) =>
      all.map((labels) => ({
        series: `${name}{${labels === '' ? '' : `${labels},`}instance="${server}",job="node-exporter"}`,
        values: (rates === undefined
          ? gauge(random, levels, steps, lasting)
          : counter(random, gauge(random, rates, steps, lasting), sampling)
        ).join(' '),
      })),
    );
  });
}

/** Returns values near levels that change. Values of a level that is a whole number are equal to it. */
function gauge(random: () => number, levels: readonly number[], steps: number, lasting: Lasting): Values {
  const values: number[] = [];
  while (values.length < steps) {
    const level = oneOf(random, levels);
    const end = Math.min(values.length + lasting(), steps);
    while (values.length < end)
      values.push(Number.isInteger(level) ? level : level * (1 + (random() - 0.5) / 50));
  }
  return values;
}

function counter(random: () => number, rates: Values, { seconds }: Sampling): Values {
  let value = 0;
  return rates.map((rate) => {
    value = random() < 0.01 ? 0 : value + rate * seconds;
    return value;
  });
}
