import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { specTool } from '../servers/deploy-tools.js';
import { type KubernetesObject, specChart, VALUES_FILES, valuesOf } from './chart.js';

/** Objects of the Prometheus operator are not those of Kubernetes itself. */
const isOfKubernetes = ({ apiVersion }: KubernetesObject): boolean =>
  apiVersion !== 'monitoring.coreos.com/v1';

describe('the objects of the Helm chart', () => {
  const chart = specChart();
  const validate = specTool('kubernetes-validate');
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mirzam-objects-'));
  });
  after(() => folder && rm(folder, { recursive: true, force: true }));

  const check = async (objects: readonly KubernetesObject[], version: string) => {
    const file = join(folder, 'objects.yaml');
    await writeFile(file, objects.map((one) => JSON.stringify(one)).join('\n---\n'));
    return validate(['--strict', '--quiet', '--kubernetes-version', version, file]);
  };

  for (const file of VALUES_FILES) {
    it(`are those of the API of Kubernetes: ${file}`, async () => {
      const objects = (await chart.objects(await valuesOf(file))).filter(isOfKubernetes);
      for (const version of ['1.25', '1.37']) {
        const { status, stdout, stderr } = await check(objects, version);
        expect(stdout + stderr, version).to.equal('');
        expect(status).to.equal(0);
      }
    });
  }

  it('would be refused with a field that the API does not know', async () => {
    const [first, ...rest] = await chart.objects(await valuesOf('embedded-values.yaml'));
    const { status, stdout, stderr } = await check(
      [{ ...first!, dataa: {} } as KubernetesObject, ...rest],
      '1.37',
    );
    expect(status).to.not.equal(0);
    expect(stdout + stderr).to.include('dataa');
  });
});
