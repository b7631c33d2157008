import { Refusal } from '../../errors.js';
import { protobufReader } from '../../untrusted/protobuf.js';
import type { SourceValue } from './source-value.js';

/** The messages of remote write: that of 1.0 (`prometheus.WriteRequest`), and that of 2.0 (`io.prometheus.write.v2.Request`). */
export type RemoteWriteMessage = 'prometheus.WriteRequest' | 'io.prometheus.write.v2.Request';

/** What a remote-write request has. */
export interface RemoteWrite {
  /** In the order of the request, those of one series together. */
  readonly values: readonly SourceValue[];
  /** Numbers of its samples, native histograms and exemplars. The last two measure nothing here. */
  readonly samples: number;
  readonly histograms: number;
  readonly exemplars: number;
}

/** The label that names the server, and that with the name of the metric. */
const SERVER = 'instance';
const METRIC = '__name__';

const SAMPLE = { fields: { value: { type: 'double', id: 1 }, timestamp: { type: 'int64', id: 2 } } };
/** Only their number is read. */
const COUNTED = { fields: {} };

const readVersion1 = protobufReader(
  {
    WriteRequest: {
      fields: {
        timeseries: { rule: 'repeated', type: 'TimeSeries', id: 1 },
        ofVersion2: { rule: 'repeated', type: 'Counted', id: 5 },
      },
    },
    TimeSeries: {
      fields: {
        labels: { rule: 'repeated', type: 'Label', id: 1 },
        samples: { rule: 'repeated', type: 'Sample', id: 2 },
        exemplars: { rule: 'repeated', type: 'Counted', id: 3 },
        histograms: { rule: 'repeated', type: 'Counted', id: 4 },
      },
    },
    Label: { fields: { name: { type: 'string', id: 1 }, value: { type: 'string', id: 2 } } },
    Sample: SAMPLE,
    Counted: COUNTED,
  },
  'WriteRequest',
);

const readVersion2 = protobufReader(
  {
    Request: {
      fields: {
        symbols: { rule: 'repeated', type: 'string', id: 4 },
        timeseries: { rule: 'repeated', type: 'TimeSeries', id: 5 },
        ofVersion1: { rule: 'repeated', type: 'Counted', id: 1 },
      },
    },
    TimeSeries: {
      fields: {
        labelsRefs: { rule: 'repeated', type: 'uint32', id: 1 },
        samples: { rule: 'repeated', type: 'Sample', id: 2 },
        histograms: { rule: 'repeated', type: 'Counted', id: 3 },
        exemplars: { rule: 'repeated', type: 'Counted', id: 4 },
      },
    },
    Sample: SAMPLE,
    Counted: COUNTED,
  },
  'Request',
);

interface Series {
  readonly samples?: readonly { readonly value?: number; readonly timestamp?: number }[];
  readonly histograms?: readonly unknown[];
  readonly exemplars?: readonly unknown[];
}

interface Series1 extends Series {
  readonly labels?: readonly { readonly name?: string; readonly value?: string }[];
}

interface Series2 extends Series {
  readonly labelsRefs?: readonly number[];
}

/** What the labels of a series name. Empty: no label does. */
type Named = Pick<SourceValue, 'server' | 'metric'>;

/**
 * Reads the message of a remote-write request. The label `instance` names the server, `__name__` the metric. Throws
 * `Refusal('unreadable')` for bytes that are no such message, and for series of the other version, which are in another field.
 */
export function readRemoteWrite(message: RemoteWriteMessage, bytes: Buffer): RemoteWrite {
  if (message === 'prometheus.WriteRequest') {
    const { timeseries = [], ofVersion2 } = readVersion1(bytes) as {
      readonly timeseries?: readonly Series1[];
      readonly ofVersion2?: unknown;
    };
    if (ofVersion2 !== undefined) throw otherVersion('2.0', '1.0');
    return collected(timeseries, namedByLabels);
  }
  const {
    symbols = [],
    timeseries = [],
    ofVersion1,
  } = readVersion2(bytes) as {
    readonly symbols?: readonly string[];
    readonly timeseries?: readonly Series2[];
    readonly ofVersion1?: unknown;
  };
  if (ofVersion1 !== undefined) throw otherVersion('1.0', '2.0');
  return collected(timeseries, (series) => namedBySymbols(series, symbols));
}

function collected<S extends Series>(all: readonly S[], named: (series: S) => Named): RemoteWrite {
  const values: SourceValue[] = [];
  let histograms = 0;
  let exemplars = 0;
  for (const series of all) {
    const { server, metric } = named(series);
    // A field of protobuf that is 0 is not sent.
    for (const { value = 0, timestamp = 0 } of series.samples ?? [])
      values.push({ server, metric, value, at: timestamp });
    histograms += series.histograms?.length ?? 0;
    exemplars += series.exemplars?.length ?? 0;
  }
  return { values, samples: values.length, histograms, exemplars };
}

function namedByLabels({ labels = [] }: Series1): Named {
  let server = '';
  let metric = '';
  for (const { name, value = '' } of labels) {
    if (name === SERVER) server = value;
    else if (name === METRIC) metric = value;
  }
  return { server, metric };
}

/** Throws `Refusal('unreadable')` for a label without a value, and for one that is not among the symbols. */
function namedBySymbols({ labelsRefs = [] }: Series2, symbols: readonly string[]): Named {
  if (labelsRefs.length % 2 !== 0) throw unreadable('labels_refs must have pairs of a name and a value');
  let server = '';
  let metric = '';
  for (let i = 0; i < labelsRefs.length; i += 2) {
    const name = symbols[labelsRefs[i]!];
    const value = symbols[labelsRefs[i + 1]!];
    if (name === undefined || value === undefined)
      throw unreadable(`labels_refs must be indices of the ${symbols.length} symbols`);
    if (name === SERVER) server = value;
    else if (name === METRIC) metric = value;
  }
  return { server, metric };
}

function unreadable(what: string): Refusal {
  return new Refusal('unreadable', `timeseries: ${what}`);
}

function otherVersion(sent: string, named: string): Refusal {
  return new Refusal(
    'unreadable',
    `the body has series of remote write ${sent}, but its Content-Type names ${named}; set proto in Content-Type`,
  );
}
