import type { Address } from '../../store/port.js';
import { EMPTY_WINDOWS } from '../windows/window.js';
import type { ServerContext } from './server-context.js';

/** Returns the context of a server of which nothing is known. */
export function newServer(address: Address): ServerContext {
  return {
    address,
    factId: 0,
    windows: EMPTY_WINDOWS,
    windowVersion: 0,
    tenantVersion: undefined,
    mail: {},
    newest: undefined,
    origin: undefined,
    unsent: undefined,
    states: [],
    noDataAt: undefined,
    idleSince: undefined,
    ignored: undefined,
    ignoredWrittenAt: undefined,
    recorded: undefined,
    trend: undefined,
    trended: [],
    closed: [],
    rules: [],
    subscriptions: [],
    ended: [],
    outbox: [],
    wakeAt: undefined,
    reply: undefined,
  };
}
