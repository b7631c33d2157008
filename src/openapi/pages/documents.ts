import { readdirSync, readFileSync } from 'node:fs';
import { StartError } from '../../errors.js';

/** A Markdown document with its page. */
export interface DocumentPage {
  /** As in its path below /docs. */
  readonly name: string;
  readonly title: string;
  /** Relative to the root of the package. */
  readonly file: string;
  /** Its headings, each with the text below it. */
  readonly sections: readonly {
    readonly id: string;
    readonly title: string;
    /** 1 is the title of the page. */
    readonly depth: number;
    readonly text: string;
  }[];
  /** The rendered Markdown. */
  readonly html: string;
}

/** The built documents. */
export interface Documents {
  readonly pages: readonly DocumentPage[];
  readonly style: string;
  readonly script: string;
  readonly icon: string;
  /** Names of the files in docs/images. */
  readonly images: readonly string[];
}

/** The root of the package. */
export const ROOT = new URL('../../../../', import.meta.url);

let loaded: Documents | undefined;

/** Reads what scripts/build-docs.js has built, once for a process. Throws a `StartError` if it is missing. */
export function loadDocuments(): Documents {
  return (loaded ??= readDocuments());
}

function readDocuments(): Documents {
  const built = (name: string): string => {
    try {
      return readFileSync(new URL(`dist/docs/${name}`, ROOT), 'utf8');
    } catch (cause) {
      throw new StartError(`the documents are not built, dist/docs has no ${name}: run npm run build`, {
        cause,
      });
    }
  };
  const pages = JSON.parse(built('pages.json')) as readonly DocumentPage[];
  return {
    pages,
    style: built('style.css'),
    script: built('script.js'),
    icon: built('icon.svg'),
    images: imagesIn(new URL('docs/images/', ROOT)),
  };
}

function imagesIn(folder: URL): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
