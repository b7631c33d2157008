import type { Config } from '../../config/config.js';
import type { Probe } from '../../operator/health/dependency-watch.js';
import { connectionProbe, mailProbe } from '../../operator/health/probes.js';
import { CALLBACK_PATH, openIdProvider } from '../../identity/openid-provider.js';
import { openIdentity } from '../../identity/select.js';
import { fieldOf } from '../../untrusted/json.js';
import { tracesUrl } from '../../tracing/traces-url.js';
import { reasonOf } from '../../untrusted/reason.js';
import { ANSWER_MS, ask } from './ask.js';
import { fault, type Finding, note, ok, type Part, warning } from './finding.js';

/** A token that no identity service has issued: the answer to it shows whether this service may ask. */
const UNKNOWN_TOKEN = 'mirzam-doctor-asks-for-a-token-that-nobody-has-issued';

/** Examines the identity service: that it answers, and that it accepts the credentials of this service. */
export async function checkIdentity({ identity }: Config): Promise<Finding> {
  const { tokenCacheS: cacheS, ...chosen } = identity;
  if (chosen.kind === 'embedded') {
    const count = chosen.users.length;
    return ok('identity', `the service issues tokens itself, to ${count} ${count === 1 ? 'user' : 'users'}`);
  }
  const { host } = new URL(chosen.url);
  if (chosen.kind === 'jwt') return checkKeys(chosen.url, host);
  const open = openIdentity({ ...chosen, cacheS });
  try {
    await open.verify(UNKNOWN_TOKEN);
    return ok('identity', `${host} checks tokens`);
  } catch (error) {
    const { message, cause } = error as Error;
    return fault('identity', `${host}: ${message}${cause === undefined ? '' : ` (${reasonOf(cause)})`}`);
  } finally {
    await open.close();
  }
}

/** Examines the OpenID provider: its metadata, and that it knows this service with its secret. */
export async function checkLogin({ oidc, http }: Config): Promise<Finding | undefined> {
  if (oidc === undefined) return undefined;
  const callback = `${http.publicUrl ?? 'http://localhost'}${CALLBACK_PATH}`;
  const provider = openIdProvider({
    ...oidc,
    redirectUri: () => callback,
    onChange: () => undefined,
    now: Date.now,
  });
  try {
    const problem = await provider.clientProblem();
    if (problem !== undefined) return fault('login', problem);
    const { host } = new URL(oidc.issuer);
    return ok('login', `${host} knows this service; it must allow the redirect URI ${callback}`);
  } catch (error) {
    return fault('login', `${(error as Error).message} Check OIDC_ISSUER`);
  }
}

async function checkKeys(url: string, host: string): Promise<Finding> {
  const answer = await ask(url);
  if (typeof answer === 'string')
    return fault('identity', `${host} does not answer: ${answer}; check IDENTITY_URL`);
  const keys = fieldOf(answer.body, 'keys');
  if (answer.status !== 200 || !Array.isArray(keys)) {
    return fault(
      'identity',
      `${host} answers ${answer.status} without a set of keys: IDENTITY_URL must be the issuer’s jwks_uri`,
    );
  }
  if (keys.length === 0) return fault('identity', `${host} has no key: no token can be checked`);
  return ok('identity', `${host} has ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}`);
}

/** Examines the context brokers, that of measurements and that of receipts: that they accept connections. */
export async function checkBrokers({ broker, ledger }: Config): Promise<readonly Finding[]> {
  const brokers = [
    ['BROKER_URL', broker?.url],
    ['BROKER_MIRROR_URL', ledger?.mirrorUrl],
  ] as const;
  return Promise.all(
    brokers.flatMap(([setting, url]) => {
      if (url === undefined) return [];
      const accepts = `${new URL(url).host} accepts connections`;
      return probed('broker', connectionProbe('broker', url), accepts, `check ${setting}`);
    }),
  );
}

/** Examines the MQTT broker: that it lets this service in. Nothing is subscribed to, and the session of a node stays as it is. */
export async function checkMqtt({ mqtt }: Config): Promise<Finding | undefined> {
  if (mqtt === undefined) return undefined;
  const { reachBroker } = await import('../../mqtt/reach-broker.js');
  const why = await reachBroker(mqtt.url);
  return why === undefined
    ? ok('mqtt', `${new URL(mqtt.url).host} accepts the login of this service`)
    : fault('mqtt', why.includes('MQTT_URL') ? why : `${why}; check MQTT_URL`);
}

/** Examines the mail server: that it takes the login. No mail is sent. */
export async function checkMail({ mail, production }: Config): Promise<Finding> {
  const { smtpUrl } = mail;
  if (smtpUrl !== undefined) {
    const { host } = new URL(smtpUrl);
    return probed('mail', mailProbe(smtpUrl, ANSWER_MS), `${host} takes mail`, 'check SMTP_URL');
  }
  return production
    ? warning('mail', 'SMTP_URL is not set: mails become dead letters')
    : note('mail', 'SMTP_URL is not set: mails stay in the inbox of the service');
}

/** Examines the receiver of traces: that it takes a request of OTLP, which has no span. */
export async function checkTraces({ tracing }: Config): Promise<Finding | undefined> {
  if (tracing === undefined) return undefined;
  const url = tracesUrl(tracing.endpoint);
  const { host } = new URL(url);
  const headers = { ...tracing.headers, 'content-type': 'application/json' };
  const answer = await ask(url, { method: 'POST', headers, body: '{"resourceSpans":[]}' });
  const remedy = 'check OTEL_EXPORTER_OTLP_ENDPOINT';
  if (typeof answer === 'string') return fault('traces', `${host} does not answer: ${answer}; ${remedy}`);
  const { status } = answer;
  if (status === 200) return ok('traces', `${host} takes traces`);
  if (status === 401 || status === 403) {
    return fault('traces', `${host} answers ${status}: check OTEL_EXPORTER_OTLP_HEADERS`);
  }
  return fault('traces', `${host} answers ${status}, and takes no OTLP with JSON at /v1/traces: ${remedy}`);
}

async function probed(part: Part, probe: Probe, text: string, advice: string): Promise<Finding> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    await probe.check(signal);
    return ok(part, text);
  } catch (error) {
    return fault(part, `${(error as Error).message}; ${advice}`);
  }
}
