/** What clients were told, and what they asked without being told anything: the two sides of every later check. */
export interface Books {
  /** Ids of generic rules that must be there. */
  readonly genericRules: Set<string>;
  readonly servers: Map<string, ServerBook>;
  /** Rules, by path, that were changed again and again by one client: the newest version acknowledged and asked for. */
  readonly versions: Map<string, { acknowledged: number; asked: number }>;
  /** Paths of rules and subscriptions whose deletion was acknowledged. */
  readonly gone: Set<string>;
  /** Answers that no client should get. */
  readonly surprises: string[];
}

/** What is known of one server. */
export interface ServerBook {
  readonly rules: Set<string>;
  readonly subscriptions: Map<string, { readonly ruleId: string; readonly url: string }>;
  /** Subscriptions that were there before the first fact, and that every fact fires. */
  readonly firing: string[];
  /** The value that each acknowledged fact brought, by its number. */
  readonly facts: Map<number, number>;
  /** Values of facts whose outcome is unknown. */
  readonly unanswered: Set<number>;
}

/** Empty books. */
export function openBooks(): Books {
  return { genericRules: new Set(), servers: new Map(), versions: new Map(), gone: new Set(), surprises: [] };
}

/** The book of a server, a new one where there was none. */
export function serverBook(books: Books, serverId: string): ServerBook {
  let book = books.servers.get(serverId);
  if (book === undefined) {
    book = {
      rules: new Set(),
      subscriptions: new Map(),
      firing: [],
      facts: new Map(),
      unanswered: new Set(),
    };
    books.servers.set(serverId, book);
  }
  return book;
}

/** Notes an acknowledged fact. */
export function noteFact(books: Books, serverId: string, factId: number, value: number): void {
  const { facts } = serverBook(books, serverId);
  if (facts.has(factId))
    books.surprises.push(`two facts of ${serverId} were both given the number ${factId}`);
  facts.set(factId, value);
}
