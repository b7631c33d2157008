import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ActorEvent, ActorKind } from '../../../src/actors/kind.js';
import { behavior, isCurrent, type Snapshot } from '../../../src/actors/behavior.js';
import { Refusal } from '../../../src/errors.js';
import type { Stored } from '../../../src/store/port.js';

/** Events of an actor, and one more that shows whether its document keeps its meaning. */
export interface Story {
  readonly kind: string;
  readonly title: string;
  readonly events: readonly ActorEvent[];
  readonly next: ActorEvent;
}

type Untimed<E> = E extends ActorEvent ? Omit<E, 'now'> & { readonly now?: number } : never;

/** Returns the stories of a kind. Events without a time of their own happen at `now`, ms since the epoch. */
export function storiesOf<E extends ActorEvent>(kind: string, now: number) {
  return (title: string, ...events: Untimed<E>[]): Story => {
    const timed = events.map((event) => ({ now, ...event }));
    return { kind, title, events: timed.slice(0, -1), next: timed.at(-1)! };
  };
}

/** A document as a release wrote it, and the result of its story's next event in that release. */
interface Sample {
  readonly kind: string;
  readonly title: string;
  readonly stored: Stored;
  readonly reply?: unknown;
  readonly state: string;
}

/** Kinds of actors, and the folder with the documents that releases wrote from their stories. */
export interface Corpus {
  /** One file for each kind and version. It never changes after its release: databases hold such documents. */
  readonly folder: URL;
  readonly kinds: readonly ActorKind[];
  readonly stories: readonly Story[];
}

/**
 * The behaviour of kinds towards documents of earlier releases. `CORPUS=write` in the environment writes the documents
 * of the stories first, of versions without a file: those that no release has written.
 */
export function corpusFeatures({ folder, kinds, stories }: Corpus): void {
  if (process.env['CORPUS'] === 'write') writeCorpus({ folder, kinds, stories });
  const kindOf = (name: string): ActorKind => kinds.find((kind) => kind.name === name)!;
  const corpus = readdirSync(folder).flatMap(
    (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Sample[],
  );

  describe('documents of releases', () => {
    for (const { kind, title, stored, reply, state } of corpus) {
      it(`have the next event answered as their release did: a ${kind} that ${title}, version ${stored.version}`, () => {
        const machine = behavior(kindOf(kind));
        const story = stories.find((one) => one.kind === kind && one.title === title)!;
        const next = machine.next(machine.restore(stored), story.next);
        expect(plain(next.context.reply)).to.deep.equal(reply);
        expect(next.value).to.equal(state);
      });
    }

    for (const kind of kinds) {
      it(`exist for every version of the kind ${kind.name}`, () => {
        const versions = corpus
          .filter((sample) => sample.kind === kind.name)
          .map(({ stored }) => stored.version);
        expect(new Set(versions)).to.deep.equal(
          new Set(Array.from({ length: kind.version }, (_, i) => i + 1)),
        );
      });
    }
  });

  describe('documents of the present version', () => {
    for (const story of stories) {
      it(`have the members of their version, and new ones only beside them: a ${story.kind} that ${story.title}`, () => {
        const kind = kindOf(story.kind);
        const written = documentOf(kind, story.events);
        const { version } = written;
        const sample = corpus.find(
          ({ kind: name, title, stored }) =>
            name === kind.name && title === story.title && stored.version === version,
        );
        expect(sample, `version ${version} is not in the corpus: ${JSON.stringify(written)}`).not.to.equal(
          undefined,
        );
        expect(
          withoutNew(membersOf(written), membersOf(sample!.stored)),
          'raise the version of the kind, and add its documents to the corpus',
        ).to.deep.equal(membersOf(sample!.stored));
      });
    }

    for (const kind of kinds) {
      it(`keep what a newer release has added beside the members of their version: the kind ${kind.name}`, () => {
        const machine = behavior(kind);
        for (const { stored, title } of corpus.filter((sample) => sample.kind === kind.name)) {
          if (!isCurrent(kind, stored.version)) continue;
          const [frequent, rare] = [added(stored.frequent, 'often'), added(stored.rare, 'seldom')];
          const restored = machine.restore({ ...stored, frequent, rare });
          const { next } = stories.find((one) => one.kind === kind.name && one.title === title)!;
          const after = machine.afterSetBack(machine.next(restored, next), 0);
          const written = machine.document(after, undefined, undefined);
          expect(JSON.parse(written.frequent!), title).to.deep.include({ often: ADDED });
          expect(JSON.parse(written.rare!), title).to.deep.include({ seldom: ADDED });
        }
      });
    }
  });
}

/** A member of a newer release. */
const ADDED = { list: [1, { text: 'ü"' }], nothing: null };

function added(text: string, name: string): string {
  return JSON.stringify({ [name]: ADDED, ...(JSON.parse(text) as object) });
}

/** Returns a reply as JSON; a refusal as its code. */
function plain(reply: unknown): unknown {
  if (reply instanceof Refusal) return { refused: reply.code };
  return reply === undefined ? undefined : JSON.parse(JSON.stringify(reply));
}

function writeCorpus({ folder, kinds, stories }: Corpus): void {
  for (const kind of kinds) {
    const machine = behavior(kind);
    const samples = stories
      .filter((story) => story.kind === kind.name)
      .map(({ title, events, next }): Sample => {
        const last = snapshotAfter(kind, events);
        const { version, state, frequent, rare, wakeAt } = machine.document(
          last,
          undefined,
          last.context.wakeAt,
        );
        const stored = { revision: events.length, version, state, wakeAt, frequent: frequent!, rare: rare! };
        const after = machine.next(machine.restore(stored), next);
        return { kind: kind.name, title, stored, reply: plain(after.context.reply), state: after.value };
      });
    for (const version of new Set(samples.map(({ stored }) => stored.version))) {
      const file = new URL(`${kind.name}-${version}.json`, folder);
      const written = samples.filter(({ stored }) => stored.version === version);
      if (!existsSync(file)) writeFileSync(file, `${JSON.stringify(written, undefined, 2)}\n`);
    }
  }
}

function documentOf(
  kind: ActorKind,
  events: readonly ActorEvent[],
): Pick<Stored, 'version' | 'state' | 'frequent' | 'rare'> {
  const last = snapshotAfter(kind, events);
  const { version, state, frequent, rare } = behavior(kind).document(last, undefined, last.context.wakeAt);
  return { version, state, frequent: frequent!, rare: rare! };
}

function snapshotAfter(kind: ActorKind, events: readonly ActorEvent[]): Snapshot {
  const machine = behavior(kind);
  return events.reduce<Snapshot>(
    (snapshot, event) => {
      const next = machine.next(snapshot, event);
      next.context.reply = undefined;
      return next;
    },
    machine.initial({ kind: kind.name, tenant: 'acme', name: 'web-1' }),
  );
}

interface Members {
  readonly state: string;
  readonly frequent: readonly string[];
  readonly rare: readonly string[];
}

/** Returns the paths of all members of a document, without values and places in arrays. */
function membersOf({ state, frequent, rare }: Pick<Stored, 'state' | 'frequent' | 'rare'>): Members {
  const paths = (value: unknown, path: string): string[] => {
    if (value === null || typeof value !== 'object') return [path];
    if (Array.isArray(value)) return value.flatMap((item) => paths(item, `${path}[]`));
    return Object.entries(value).flatMap(([key, member]) => paths(member, `${path}.${key}`));
  };
  const sorted = (text: string) => [...new Set(paths(JSON.parse(text), ''))].toSorted();
  return { state, frequent: sorted(frequent), rare: sorted(rare) };
}

/** Returns the members without those of the context that a document of the release does not have: older nodes keep them. */
function withoutNew({ state, frequent, rare }: Members, release: Members): Members {
  const top = (path: string): string => /^\.\w+/.exec(path)?.[0] ?? '';
  const old = new Set([...release.frequent, ...release.rare].map(top));
  const known = (paths: readonly string[]) => paths.filter((path) => old.has(top(path)));
  return { state, frequent: known(frequent), rare: known(rare) };
}
