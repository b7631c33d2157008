import { type Kind, NotAllowed } from './kinds.js';

/** Host names of a Host header, without ports, in lower case. */
export const hostNames: Kind<readonly string[]> = {
  allowed: 'host names like rules.example.org, without ports, separated by commas',
  parse: (value) => {
    const names = value.split(',').map((name) => name.trim().toLowerCase());
    const wrong = names.findIndex((name) => !/^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/.test(name));
    return wrong === -1 ? names : new NotAllowed(`number ${wrong + 1} of the list is wrong`);
  },
};
