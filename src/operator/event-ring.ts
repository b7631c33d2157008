/** An event of this node. */
export interface NodeEvent {
  readonly type: 'transition' | 'firing' | 'delivery' | 'receiver' | 'receipt' | 'fault';
  /** The tenant that may see it. undefined: operators alone. */
  readonly tenant: string | undefined;
  readonly server: string | undefined;
  /** Characters that the event holds in memory, estimated. */
  readonly size: number;
  /** Returns the JSON object of the event. Called when a reader first needs it. */
  readonly data: () => object;
}

/** The events that a reader wants. undefined: any. */
export interface EventFilter {
  readonly tenant: string | undefined;
  readonly server: string | undefined;
}

/** The newest events of a node. A position is the number of an event; 0 is before the first one. */
export type EventRing = ReturnType<typeof createEventRing>;

export interface EventRingOptions {
  /** First part of all ids. Unique to this process. */
  readonly node: string;
  /** Maximum number of events. */
  readonly most: number;
  /** Maximum number of characters of all events. */
  readonly characters: number;
}

interface Kept {
  readonly event: Omit<NodeEvent, 'data'>;
  /** The event itself until its text is made. */
  content: (() => object) | Buffer;
}

/** Creates an empty ring. */
export function createEventRing({ node, most, characters: limit }: EventRingOptions) {
  const kept = new Map<number, Kept>();
  let last = 0;
  let characters = 0;

  const idOf = (position: number): string => `${node}-${position}`;
  const isKept = (position: number): boolean => position >= last - kept.size && position <= last;

  const isFull = (): boolean => kept.size > most || characters > limit;

  const dropOldest = (): void => {
    const oldest = last - kept.size + 1;
    characters -= kept.get(oldest)!.event.size;
    kept.delete(oldest);
  };

  const textOf = (position: number): Buffer => {
    const entry = kept.get(position)!;
    if (typeof entry.content === 'function') {
      entry.content = eventText(entry.event.type, entry.content(), idOf(position));
    }
    return entry.content;
  };

  return {
    add({ data: content, ...event }: NodeEvent): void {
      last += 1;
      kept.set(last, { event, content });
      characters += event.size;
      while (isFull()) dropOldest();
    },
    /** The position of the newest event. */
    get last() {
      return last;
    },
    /** Returns the id of a position, as clients get it. */
    idOf,
    /** Returns the position of an id. undefined if another process gave it, or if an event after it is gone. */
    positionOf(id: string): number | undefined {
      const position = Number(id.slice(node.length + 1));
      return id === idOf(position) && isKept(position) ? position : undefined;
    },
    /** Returns the wanted events after a position as Server-Sent Events. undefined if an event after it is gone. */
    after: (position: number, filter: EventFilter): Buffer | undefined => {
      if (!isKept(position)) return undefined;
      const texts: Buffer[] = [];
      for (let n = position + 1; n <= last; n += 1) {
        if (passes(kept.get(n)!.event, filter)) texts.push(textOf(n));
      }
      return Buffer.concat(texts);
    },
  };
}

function passes(event: EventFilter, { tenant, server }: EventFilter): boolean {
  return (tenant ?? event.tenant) === event.tenant && (server ?? event.server) === event.server;
}

/** Returns a Server-Sent Event. Without an id a client does not resume after it. */
export function eventText(type: string, data: object, id?: string): Buffer {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`${head}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}
