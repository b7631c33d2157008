import { settings } from '../../config/settings.js';
import { type Finding, warning } from './finding.js';

const PREFIX = 'MIRZAM_';
/** Variables of a file .env that commands, Node.js, OpenTelemetry or Docker Compose read. */
const OF_OTHERS = /^(?:MIRZAM_|DEPLOYER_KEY$|NODE_|OTEL_|COMPOSE_|DOCKER_|(?:https?|no|all)_proxy$|TZ$)/i;

/** Examines the names of all variables, and of those `inFile`, the file .env: which look like settings, and are none. */
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
