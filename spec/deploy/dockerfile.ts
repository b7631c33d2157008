import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** What the steps of a Dockerfile make. Paths of the image are below `root`. */
export interface Image {
  readonly root: string;
  /** Folder on this machine of a path of the image. */
  at(path: string): string;
  readonly workdir: string;
  /** Variables of ENV, with paths on this machine. */
  readonly env: Readonly<Record<string, string>>;
  readonly user: string | undefined;
  readonly volumes: readonly string[];
  readonly stopSignal: string | undefined;
  readonly healthcheck: readonly string[];
  readonly command: readonly string[];
  remove(): Promise<void>;
}

interface Stage {
  readonly root: string;
  readonly env: Record<string, string>;
  readonly volumes: string[];
  workdir: string;
  user?: string;
  stopSignal?: string;
  healthcheck: readonly string[];
  command: readonly string[];
}

/** Returns the instructions of a Dockerfile: its lines without comments, continued lines joined. */
function instructionsOf(text: string): readonly (readonly [name: string, rest: string])[] {
  const lines = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  return [...lines.matchAll(/^([A-Z]+) +(.+)$/gm)].map(([, name, rest]) => [name!, rest!]);
}

/** Returns the paths that a .dockerignore lets through: it excludes everything (`*`), then names them (`!path`). */
function contextOf(text: string): readonly string[] {
  const [first, ...rest] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (first !== '*' || rest.some((line) => !line.startsWith('!'))) {
    throw new Error('.dockerignore is not `*` with paths that begin with `!`');
  }
  return rest.map((line) => line.slice(1));
}

/** Performs the steps of the repository's Dockerfile, each stage in a fresh folder, with Node and npm of this machine. */
export async function buildImage(): Promise<Image> {
  const [dockerfile, ignored] = await Promise.all(
    ['Dockerfile', '.dockerignore'].map((name) => readFile(join(REPOSITORY, name), 'utf8')),
  );
  const context = contextOf(ignored!);
  const folder = await mkdtemp(join(tmpdir(), 'mirzam-image-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const stages = new Map<string, Stage>();
  try {
    let last: Stage | undefined;
    for (const [name, rest] of instructionsOf(dockerfile!)) {
      if (name === 'FROM') {
        const stageName = / AS (\w+)$/.exec(rest)?.[1] ?? 'last';
        last = {
          root: join(folder, stageName),
          env: {},
          volumes: [],
          workdir: '/',
          healthcheck: [],
          command: [],
        };
        await mkdir(last.root, { recursive: true });
        stages.set(stageName, last);
      } else if (last === undefined) throw new Error(`${name} before FROM`);
      else await perform(name, rest, last, { stages, context });
    }
    const { root, env, ...made } = last!;
    const at = (path: string): string => join(root, path);
    return { ...made, root, at, env, user: made.user, stopSignal: made.stopSignal, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function perform(
  name: string,
  rest: string,
  stage: Stage,
  from: { readonly stages: ReadonlyMap<string, Stage>; readonly context: readonly string[] },
): Promise<void> {
  switch (name) {
    case 'WORKDIR':
      stage.workdir = rest;
      await mkdir(join(stage.root, rest), { recursive: true });
      return;
    case 'ENV':
      for (const [, variable, value] of rest.matchAll(/(\w+)=(\S+)/g)) {
        stage.env[variable!] = placed(value!, stage.root);
      }
      return;
    case 'COPY':
      return await copy(rest, stage, from);
    case 'RUN':
      return await run(rest, stage);
    case 'USER':
      stage.user = rest;
      return;
    case 'VOLUME':
      stage.volumes.push(rest);
      return;
    case 'STOPSIGNAL':
      stage.stopSignal = rest;
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(rest.replace(/^.*? CMD /, '')) as string[];
      return;
    case 'CMD':
      stage.command = JSON.parse(rest) as string[];
      return;
    case 'EXPOSE':
      return;
    default:
      throw new Error(`the spec does not know ${name} ${rest}`);
  }
}

/** Returns a text with the folder of the stage before each absolute path. */
function placed(text: string, root: string): string {
  return text.replaceAll(/(?<=^|\s)\/\w+/g, (path) => join(root, path));
}

async function copy(
  rest: string,
  stage: Stage,
  { stages, context }: { readonly stages: ReadonlyMap<string, Stage>; readonly context: readonly string[] },
): Promise<void> {
  const words = rest.split(' ');
  const other = words[0]?.startsWith('--from=')
    ? stages.get(words.shift()!.slice('--from='.length))
    : undefined;
  const target = join(stage.root, stage.workdir, words.pop()!);
  if (other !== undefined) {
    for (const word of words) await cp(join(other.root, word), target, { recursive: true });
    return;
  }
  for (const source of words.flatMap((word) => (word === '.' ? context : [word]))) {
    if (!context.includes(source)) throw new Error(`.dockerignore leaves ${source} out`);
    await cp(join(REPOSITORY, source), join(target, source), { recursive: true });
  }
}

/** Runs a command of a stage, as this process's user. */
async function run(rest: string, stage: Stage): Promise<void> {
  const child = spawn('/bin/sh', ['-c', placed(rest, stage.root)], {
    cwd: join(stage.root, stage.workdir),
    env: { ...process.env, ...stage.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`RUN ${rest} ended with ${status}: ${output}`);
}
