import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { addRule, firedIn, subscribe, windowSize } from '../e2e/policy/actions.js';
import { scenes } from '../e2e/scene.js';
import { eventually } from '../faults/stage/eventually.js';
import { specPrometheus } from '../servers/prometheus.js';

const PAGE = readFileSync(new URL('../../../docs/coming-from.md', import.meta.url), 'utf8');
const SCRIPT = /^```js\n([^]*?)^```$/m.exec(PAGE)![1]!;

describe('the script of docs/coming-from.md', function () {
  this.timeout(60_000);
  const open = scenes();
  const tools = specPrometheus();

  it('sends the results of a query of Prometheus, each to the server that its instance names', async () => {
    const { url, api } = await open.service();
    const receiver = await open.receiver();
    // Two cores of which one is idle: a half of the time is in use.
    const exporter = await open.receiver((response) => {
      const idle = performance.now() / 1000;
      const cpus = [0, 1].map((n) => `node_cpu_seconds_total{cpu="${n}",mode="idle"} ${n * idle}\n`);
      response.setHeader('content-type', 'text/plain; version=0.0.4').end(cpus.join(''));
    });
    const server = new URL(exporter.origin).host;
    await windowSize(api, 1);
    await subscribe(api, server, await addRule(api, server), receiver.origin);

    const folder = await open.folder();
    const config = join(folder, 'prometheus.yml');
    const jobs = `scrape_configs: [{job_name: node, static_configs: [{targets: ["${server}"]}]}]`;
    await writeFile(config, `global: {scrape_interval: 1s}\n${jobs}\n`);
    const prometheus = await tools().start(config, join(folder, 'data'));
    open.keep(prometheus, (one) => one.stop());

    const script = SCRIPT.replace('http://localhost:9090', prometheus.url)
      .replace('http://localhost:8080', url)
      .replace('60_000', '200')
      .replace('[2m]', '[5s]');
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
    open.keep(child, async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    });
    // The first rates are of two samples.
    const found = await eventually(
      () => firedIn(receiver.got).find(({ measures }) => Math.abs(measures['cpu']! - 50) < 5),
      30_000,
      () => `no message with 50 %, but ${JSON.stringify(firedIn(receiver.got).map((one) => one.measures))}`,
    );
    expect(found.serverId).to.equal(server);
  });
});
