import { randomBytes } from 'node:crypto';
import { SingleBar } from 'cli-progress';
import pc from 'picocolors';
import { client } from './client.js';
import type { Mail } from './client.js';
import { startReceiver } from './receiver.js';
import { readSeries } from './series.js';
import { findOrStart } from './service-under-demo.js';

const THRESHOLD = 90;

/** Shows the whole way of a rule: from the tenant that writes it to the webhook and the e-mail. */
export async function runDemo(): Promise<void> {
  const began = Date.now();
  const service = await findOrStart(process.env['MIRZAM_URL']);
  const receiver = await startReceiver();
  let cleanUp = async (): Promise<void> => {};
  try {
    say('Mirzam', `${service.url} ${pc.dim(service.own ? '(started for this demo)' : '(already running)')}`);
    const api = await client(service.url);
    say('Token', `for the tenant demo, ${pc.dim('POST /identity/v2.0/tokens')}`);

    const serverId = `web-${randomBytes(3).toString('hex')}`;
    const recipient = `ops-${serverId}@example.org`;
    const ruleId = await api.addRule(serverId, {
      name: 'The web server is busy',
      condition: { cpu: { value: THRESHOLD, operand: 'greater' } },
      action: { actionName: 'notify-email', email: recipient, body: 'Please add a machine to the pool.' },
    });
    cleanUp = () => api.deleteRule(serverId, ruleId);
    say('Rule', `cpu > ${THRESHOLD} on ${serverId}: e-mail ${recipient} ${pc.dim(ruleId)}`);
    const subscriptionId = await api.subscribe(serverId, ruleId, receiver.url);
    say('Subscription', `${receiver.url} ${pc.dim(subscriptionId)}`);

    const series = await readSeries();
    const firings = await replay(api, serverId, series);
    const expected = firings;
    await until(() => receiver.received.length >= expected, `the ${expected} webhooks`);
    say('Facts', `${series.length} measurements of a real machine, each durable when it was answered`);
    say('Webhooks', `${receiver.received.length} received, one for each evaluation that held; the first:`);
    console.log(indented(JSON.stringify(receiver.received[0]?.body, undefined, 2)));

    let mail: Mail | undefined;
    await until(async () => (mail = await api.mailTo(recipient)) !== undefined, 'the e-mail');
    say('E-mail', `${pc.bold(mail!.subject)} ${pc.dim(`to ${recipient}, in /operator/inbox`)}`);
    console.log(indented(mail!.text));
    say('Done', `in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  } finally {
    await cleanUp().catch((error: unknown) => say('Left behind', `the rule: ${String(error)}`));
    await receiver.close();
    await service.stop();
  }
}

async function replay(
  api: Awaited<ReturnType<typeof client>>,
  serverId: string,
  series: Awaited<ReturnType<typeof readSeries>>,
): Promise<number> {
  const format = `  ${pc.cyan('{bar}')} {value}/{total} facts  cpu {cpu} %  {fired} firings`;
  const bar = new SingleBar({
    format,
    // 80 columns in all.
    barsize: 28,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
  });
  let fired = 0;
  if (process.stdout.isTTY) bar.start(series.length, 0, { cpu: '', fired });
  else say('Facts', `${series.length} measurements are being sent, one after the other`);
  for (const [i, { cpu }] of series.entries()) {
    fired += (await api.measure(serverId, cpu)).fired;
    if (process.stdout.isTTY) bar.update(i + 1, { cpu: cpu.toFixed(1).padStart(5), fired });
  }
  bar.stop();
  return fired;
}

function say(what: string, text: string): void {
  console.log(`${pc.green(what.padEnd(13))} ${text}`);
}

function indented(text: string): string {
  return pc.dim(text.trim().replaceAll(/^/gm, '    '));
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
