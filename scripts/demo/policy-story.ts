import { SingleBar } from 'cli-progress';
import pc from 'picocolors';
import type { HttpClient } from './http-client.js';
import { type Mail, policyClient } from './policy-client.js';
import { startReceiver } from './receiver.js';
import type { Point } from '../../src/console/demo/series.js';
import { say, show, until } from './output.js';

const THRESHOLD = 90;
/** Measurements of an hour, sent in one notification. */
const HOUR = 12;

/** Shows a rule from its creation to the webhook and the e-mail. Deletes the rule at the end. */
export async function showRules(
  request: HttpClient,
  serverId: string,
  series: readonly Point[],
): Promise<void> {
  const receiver = await startReceiver();
  let cleanUp = async (): Promise<void> => {};
  try {
    const api = await policyClient(request);
    say('Token', `for the tenant demo, ${pc.dim('POST /identity/v2.0/tokens')}`);

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

    const expected = await replay(api, serverId, series);
    await until(() => receiver.received.length >= expected, `the ${expected} webhooks`);
    say('Facts', `${series.length} measurements of a real machine, each durable when it was answered`);
    say('Webhooks', `${receiver.received.length} received, one for each evaluation that held; the first:`);
    show(JSON.stringify(receiver.received[0]?.body, undefined, 2));

    let mail: Mail | undefined;
    await until(async () => (mail = await api.mailTo(recipient)) !== undefined, 'the e-mail');
    say('E-mail', `${pc.bold(mail!.subject)} ${pc.dim(`to ${recipient}, in /operator/inbox`)}`);
    show(mail!.text);
  } finally {
    await cleanUp().catch((error: unknown) => say('Left behind', `the rule: ${String(error)}`));
    await receiver.close();
  }
}

/** Returns the number of firings. */
async function replay(
  api: Awaited<ReturnType<typeof policyClient>>,
  serverId: string,
  series: readonly Point[],
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
  else say('Facts', `${series.length} measurements are being sent, an hour of them at a time`);
  for (let at = 0; at < series.length; at += HOUR) {
    const cpus = series.slice(at, at + HOUR).map(({ cpu }) => cpu);
    fired += (await api.measure(serverId, cpus)).fired;
    const cpu = cpus.at(-1)!.toFixed(1).padStart(5);
    if (process.stdout.isTTY) bar.update(at + cpus.length, { cpu, fired });
  }
  bar.stop();
  return fired;
}
