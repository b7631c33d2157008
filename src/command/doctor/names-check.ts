import { settings } from '../../config/settings.js';
import { type Finding, warning } from './finding.js';

const PREFIX = 'MIRZAM_';
/** Variables of a file .env that commands, Node.js, OpenTelemetry or Docker Compose read. */
const OF_OTHERS = /^(?:MIRZAM_|DEPLOYER_KEY$|NODE_|OTEL_|COMPOSE_|DOCKER_|(?:https?|no|all)_proxy$|TZ$)/i;

/**
 * Returns warnings for names that look like settings and are not: of `all` variables those with the prefix `MIRZAM_`, and of those
 * `inFile`, the file .env, all that no other program reads.
 */
export function checkNames(all: readonly string[], inFile: readonly string[]): readonly Finding[] {
  const isSetting = (name: string): boolean => Object.hasOwn(settings, name);
  const withPrefix = all.filter((name) => name.startsWith(PREFIX) && isSetting(name.slice(PREFIX.length)));
  const unknown = inFile.filter((name) => !isSetting(name) && !OF_OTHERS.test(name));
  return [
    ...withPrefix.map((name) =>
      warning('settings', `${name} is not read: the setting is ${name.slice(PREFIX.length)}`),
    ),
    ...unknown.map((name) =>
      warning(
        'settings',
        `.env has ${name}, which is not a setting; the page /docs/settings of a service lists all`,
      ),
    ),
  ];
}
