import type { Inbox } from '../embedded/inbox.js';
import { type PartState, type Probe, watchParts } from '../operator/health/part-watch.js';
import { chainProbe, connectionProbe, httpProbe, mailProbe } from '../operator/health/probes.js';
import { partMetrics } from '../operator/metrics/parts.js';
import type { LedgerHalf } from './ledger.js';
import type { SharedParts } from './shared-parts.js';

/** Longest wait for each step of a mail server, ms. */
const MAIL_STEP_MS = 5_000;

/** Starts to look at the parts that are configured and can be away while the service works. Returns the reader of their states. */
export function watchConfigured(
  shared: SharedParts,
  parts: { readonly inbox: Inbox | undefined; readonly ledger: LedgerHalf | undefined },
): () => readonly PartState[] {
  const { config, log, metrics, now, closeOnStop } = shared;
  const { identity, broker, mail, ledger: ledgerConfig } = config;
  const { inbox, ledger } = parts;
  const smtpUrl = mail.smtpUrl ?? inbox?.url;
  const chainUrl = ledgerConfig?.chain?.url;
  const probes: Probe[] = [];
  if (ledger !== undefined) {
    probes.push(chainProbe(ledger.chain, chainUrl === undefined ? undefined : new URL(chainUrl).host));
  }
  if (broker !== undefined) probes.push(connectionProbe('broker', broker.url));
  if (smtpUrl !== undefined) probes.push(mailProbe(smtpUrl, MAIL_STEP_MS));
  if (identity.kind !== 'embedded') probes.push(httpProbe('identity', identity.url));
  const watch = closeOnStop(
    watchParts({
      probes,
      now,
      onChange({ name, status, detail, warning }) {
        if (status === 'away') log.warn({ part: name, detail }, 'a part is away');
        else if (warning !== undefined) log.warn({ part: name, warning }, 'a part is up, with a warning');
        else log.info({ part: name }, 'a part is back');
      },
    }),
  );
  ledger?.chain.onContract(() => watch.lookAt('chain'));
  metrics.add((registry) => partMetrics(registry, () => watch.parts()));
  return () => watch.parts();
}
