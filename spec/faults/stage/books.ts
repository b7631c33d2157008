/** Knowledge of the clients: acknowledged requests, and requests with an unknown outcome. Basis of every later check. */
export interface Books {
  /** Ids of generic rules that must exist. */
  readonly genericRules: Set<string>;
  readonly servers: Map<string, ServerBook>;
  /** Rules by path, each changed by one client: the newest version acknowledged and the newest sent. */
  readonly versions: Map<string, { acknowledged: number; asked: number }>;
  /** Paths of rules and subscriptions whose deletion was acknowledged. */
  readonly gone: Set<string>;
  /** Answers that no client should get. */
  readonly surprises: string[];
}

/** An operation of a client on one server. Times are ms of `performance.now()`. */
export interface Operation {
  /** `explain` reads the number of the last fact, `rule` the name of the server's rule, which `rename` changes. */
  readonly kind: 'fact' | 'rename' | 'explain' | 'rule';
  readonly call: number;
  /** undefined: its outcome is unknown. */
  readonly return: number | undefined;
  /** Number of the fact; undefined if it is not known. */
  readonly number?: number | undefined;
  /** Value of the fact. */
  readonly value?: number;
  /** Name of the rule. */
  readonly name?: string;
}

/** Knowledge of one server. */
export interface ServerBook {
  readonly rules: Set<string>;
  readonly subscriptions: Map<string, { readonly ruleId: string; readonly url: string }>;
  /** Subscriptions that existed before the first fact. Every fact fires them. */
  readonly firing: string[];
  /** Values of acknowledged facts by number. */
  readonly facts: Map<number, number>;
  /** Values of facts whose outcome is unknown. */
  readonly unanswered: Set<number>;
  /** Operations that were, or may have been, carried out. */
  readonly history: Operation[];
}

/** Creates empty books. */
export function openBooks(): Books {
  return { genericRules: new Set(), servers: new Map(), versions: new Map(), gone: new Set(), surprises: [] };
}

/** Returns the book of a server, created on first use. */
export function serverBook(books: Books, serverId: string): ServerBook {
  let book = books.servers.get(serverId);
  if (book === undefined) {
    book = {
      rules: new Set(),
      subscriptions: new Map(),
      firing: [],
      facts: new Map(),
      unanswered: new Set(),
      history: [],
    };
    books.servers.set(serverId, book);
  }
  return book;
}

/** Records an acknowledged fact. */
export function noteFact(books: Books, serverId: string, factId: number, value: number): void {
  const { facts } = serverBook(books, serverId);
  if (facts.has(factId))
    books.surprises.push(`two facts of ${serverId} were both given the number ${factId}`);
  facts.set(factId, value);
}
