import type { Inbox } from '../embedded/inbox.js';
import { type DependencyState, type Probe, watchDependencies } from '../operator/health/dependency-watch.js';
import { chainProbe, connectionProbe, httpProbe, mailProbe } from '../operator/health/probes.js';
import { dependencyMetrics } from '../operator/metrics/metrics.js';
import type { LedgerHalf } from './ledger.js';
import type { SharedParts } from './shared-parts.js';

/** Maximum wait for each step of a mail server, ms. */
const MAIL_STEP_MS = 5_000;

/** Starts to check the configured dependencies. Returns the reader of their states. */
export function watchConfigured(
  shared: SharedParts,
  parts: { readonly inbox: Inbox | undefined; readonly ledger: LedgerHalf | undefined },
): () => readonly DependencyState[] {
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
    watchDependencies({
      probes,
      now,
      onChange({ name, status, detail, warning }) {
        if (status === 'down') log.warn({ part: name, detail }, 'a dependency is down');
        else if (warning !== undefined)
          log.warn({ part: name, warning }, 'a dependency is up, with a warning');
        else log.info({ part: name }, 'a dependency is up again');
      },
    }),
  );
  ledger?.chain.onContract(() => watch.checkNow('chain'));
  metrics.add((registry) => dependencyMetrics(registry, watch.states));
  return watch.states;
}
