import type { Logger } from 'pino';
import { ConfigError } from './config/config.js';
import { StartError } from './errors.js';

/**
 * Tells why the service did not start: what was to be expected in plain lines where a person reads `terminal`, and
 * without a stack; everything else, and all of it for a log, in one line of `log`.
 */
export function reportFailure(
  error: unknown,
  log: Logger,
  terminal: { readonly isTTY?: boolean; write(text: string): unknown },
): void {
  if (!(error instanceof ConfigError || error instanceof StartError)) {
    log.fatal({ err: error }, 'the service could not start');
  } else if (terminal.isTTY === true) {
    terminal.write(`Mirzam cannot start: ${error.message}\n`);
  } else {
    log.fatal(error.message);
  }
}
