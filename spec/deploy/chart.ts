import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import { specTool, type ToolRun } from '../servers/deploy-tools.js';

/** Folder of the chart. */
const CHART = fileURLToPath(new URL('../../../deploy/helm/mirzam/', import.meta.url));
/** Sets of values that the specs render, in the folder `ci` of the chart. */
export const VALUES_FILES = ['embedded-values.yaml', 'mongodb-values.yaml', 'all-values.yaml'] as const;
/** `helm template` has no cluster to ask. */
const KUBERNETES = '1.30.0';

/** Values of the chart, or any object in YAML. */
export type Values = Readonly<Record<string, unknown>>;

/** An object of Kubernetes, with what the specs read. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Labels; readonly annotations?: Labels };
  readonly spec: Values;
  readonly data?: Labels;
  readonly stringData?: Labels;
}

export type Labels = Readonly<Record<string, string>>;

/** Container and pod, with what the specs read. */
export interface Pod {
  readonly metadata: { readonly labels: Labels; readonly annotations: Labels };
  readonly spec: {
    readonly terminationGracePeriodSeconds: number;
    readonly securityContext: Values;
    readonly volumes: readonly { readonly name: string }[];
    readonly containers: readonly {
      readonly image: string;
      readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
      readonly envFrom: readonly Readonly<Record<string, { readonly name: string }>>[];
      readonly env?: readonly unknown[];
      readonly securityContext: Values;
      readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
      readonly startupProbe: Probe;
      readonly livenessProbe: Probe;
      readonly readinessProbe: Probe;
    }[];
  };
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

/** The chart, rendered with values over its defaults. */
export interface Chart {
  /** Runs `helm template` with these values. */
  run(values: Values): Promise<ToolRun>;
  /** Returns the objects. Rejects if helm refuses the values. */
  objects(values: Values): Promise<readonly KubernetesObject[]>;
  /** Runs `helm lint` with a file of the folder `ci`. */
  lint(file: string): ToolRun;
}

/** Adds hooks to a `describe`: its specs need helm (`specTool`). */
export function specChart(): Chart {
  const helm = specTool('helm');
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mirzam-chart-'));
  });
  after(() => folder && rm(folder, { recursive: true, force: true }));
  const run: Chart['run'] = async (values) => {
    const file = join(folder, 'values.json');
    // JSON is YAML in which `on` and `off` are texts.
    await writeFile(file, JSON.stringify(values));
    return helm(['template', 'try', CHART, '--kube-version', KUBERNETES, '--values', file]);
  };
  return {
    run,
    async objects(values) {
      const { status, stdout, stderr } = await run(values);
      if (status !== 0) throw new Error(stderr);
      return parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject);
    },
    lint: (file) => helm(['lint', '--strict', CHART, '--values', join(CHART, 'ci', file)]),
  };
}

/** Returns a file of the folder `ci`. */
export async function valuesOf(file: (typeof VALUES_FILES)[number]): Promise<Values> {
  return parse(await readFile(join(CHART, 'ci', file), 'utf8')) as Values;
}

/** Returns the only object of a kind. Throws if there is another number. */
export function only(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  const [found, ...more] = objects.filter((one) => one.kind === kind);
  if (found === undefined || more.length > 0) throw new Error(`not one ${kind}`);
  return found;
}

/** Returns the template of the pods. */
export function podOf(objects: readonly KubernetesObject[]): Pod {
  const owners = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  if (owners.length !== 1) throw new Error(`${owners.length} objects have pods`);
  return owners[0]!.spec['template'] as Pod;
}
