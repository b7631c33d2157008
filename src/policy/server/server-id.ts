/**
 * The pattern of ids of servers: URNs and host names. `.` and `..` are excluded: clients and proxies resolve them as path
 * segments.
 */
export const SERVER_ID_PATTERN = '(?!\\.{1,2}$)[A-Za-z0-9_.:~-]{1,256}';

const SERVER_ID = new RegExp(`^${SERVER_ID_PATTERN}$`);

/** True if a path takes the id of a server. */
export const isServerId = (id: string): boolean => SERVER_ID.test(id);

/** True if a body can name the server by this id. One with `.json` at its end is excluded: in a path that is a format. */
export const isNamedServerId = (id: string): boolean => isServerId(id) && !id.endsWith('.json');
