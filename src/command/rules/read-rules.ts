import { LineCounter, parseDocument, visit } from 'yaml';
import { array } from 'yup';
import { formOf } from '../../delivery/form/formats.js';
import type { OpenForm } from '../../delivery/form/header-seal.js';
import { writtenUrl } from '../../delivery/senders/written-url.js';
import { LARGEST_WINDOW_SIZE } from '../../policy/http/offline-backtest.js';
import { ID_PATTERN } from '../../policy/http/path-ids.js';
import { ruleSchemas } from '../../policy/http/schemas.js';
import { targetShape, withTemplate } from '../../policy/http/subscription-schema.js';
import { checked, exactly, integer, NOT_AN_OBJECT, strictly, text } from '../../policy/http/validate.js';
import type { RuleDraft } from '../../policy/rules/rule.js';
import { SERVER_ID_PATTERN } from '../../policy/server/server-id.js';
import { isObject } from '../../untrusted/json.js';
import { Failure } from '../context.js';
import { contentOf } from '../files.js';
import { PlacedProblems } from './placed-problems.js';
import { type ReadTest, testsIn } from './read-tests.js';
import { titleOf } from './plan.js';
import { withoutVariables } from './target.js';
import { TENANT_LIST, type WantedRule, type WantedRules, type WantedSubscription } from './wanted-rules.js';

/** What the files of one tenant have, with its id or name; undefined if no file names it. */
export interface ReadRules {
  readonly tenant: string | undefined;
  readonly wanted: WantedRules;
  readonly tests: readonly ReadTest[];
}

const { ruleDraft } = ruleSchemas({ any: true, listed: [] }, ', subscriptions');
const SIZE = `must be an integer from 1 to ${LARGEST_WINDOW_SIZE}`;
const windowSize = integer(1, LARGEST_WINDOW_SIZE, SIZE);
const TENANT = `must be the id or name of a tenant, ${ID_PATTERN}, as a string`;
const tenantName = text(TENANT).matches(new RegExp(`^${ID_PATTERN}$`), TENANT);
const SERVER_ID = 'must be the id of a server, [A-Za-z0-9_.:~-]{1,256} and neither . nor .., as a string';
const serverId = text(SERVER_ID).matches(new RegExp(`^${SERVER_ID_PATTERN}$`), SERVER_ID);

const MEMBERS = ['tenant', 'windowsize', 'rules', 'servers', 'tests'];

/** Reads the files of one tenant; `-` is the standard input. Throws `Failure` with every problem, its file, line and column. */
export async function readRules(names: readonly string[], stdin: NodeJS.ReadableStream): Promise<ReadRules> {
  if (names.filter((name) => name === '-').length > 1)
    throw new Failure('only one file can be -, the standard input');
  const files = await Promise.all(
    names.map((name) => contentOf(name, stdin, (bytes) => fileOf(name, bytes.toString('utf8')))),
  );
  const lists = new Map<string, WantedRule[]>([[TENANT_LIST, []]]);
  const [tenant, windowsize] = [oneOf(files, 'tenant'), oneOf(files, 'windowsize')];
  const places = new Map<string, string>();
  for (const { rules, problems } of files) {
    for (const { list, at, wanted } of rules) {
      const title = titleOf(list, wanted.draft.name);
      const first = places.get(title);
      if (first !== undefined) problems.add(`${at}.name`, `${title} is there already, in ${first}`);
      places.set(title, first ?? problems.placeOf(`${at}.name`));
      lists.set(list, [...(lists.get(list) ?? []), wanted]);
    }
  }
  for (const { tests, problems } of files)
    for (const { at, series } of tests)
      if (lists.get(series.list)?.every(({ draft }) => draft.name !== series.rule) ?? true)
        problems.add(`${at}.rule`, `${titleOf(series.list, series.rule)} is in none of these files`);
  const lines = files.flatMap(({ problems }) => problems.lines);
  if (lines.length > 0) throw new Failure(`these rules cannot be used:\n${lines.join('\n')}`);
  return { tenant, wanted: { windowsize, lists }, tests: files.flatMap((file) => file.tests) };
}

/** A rule of a file. `at`: its path there. */
interface ReadRule {
  readonly list: string;
  readonly at: string;
  readonly wanted: WantedRule;
}

interface ReadFile {
  readonly tenant: string | undefined;
  readonly windowsize: number | undefined;
  readonly rules: readonly ReadRule[];
  readonly tests: readonly ReadTest[];
  readonly problems: PlacedProblems;
}

/** Returns the value of a member that all files with it must agree on. */
function oneOf<M extends 'tenant' | 'windowsize'>(
  files: readonly ReadFile[],
  member: M,
): ReadFile[M] | undefined {
  const [first, ...rest] = files.filter((file) => file[member] !== undefined);
  for (const { problems, [member]: value } of rest)
    if (value !== first![member])
      problems.add(
        member,
        `is ${value}, and ${first![member]} in ${first!.problems.file}; all files are of one tenant`,
      );
  return first?.[member];
}

function fileOf(name: string, content: string): ReadFile {
  const counter = new LineCounter();
  const document = parseDocument(content, { lineCounter: counter, stringKeys: true, prettyErrors: false });
  const problems = new PlacedProblems(name, document, counter);
  for (const { pos, message } of [...document.errors, ...document.warnings]) problems.addAt(pos[0], message);
  visit(document, {
    Scalar(_, { value, range }) {
      // The service refuses it, and nothing could be compared with it.
      if (typeof value === 'string' && !value.isWellFormed())
        problems.addAt(range?.[0] ?? 0, String.raw`holds an unpaired surrogate (\ud800 to \udfff)`);
    },
  });
  const none = { tenant: undefined, windowsize: undefined, rules: [], tests: [], problems };
  if (problems.lines.length > 0) return none;
  const file: unknown = document.toJS();
  if (!isObject(file)) {
    problems.add('file', `must be an object with some of ${MEMBERS.join(', ')}`);
    return none;
  }
  refuseOthers(file, MEMBERS, '', problems);
  return {
    tenant:
      file['tenant'] === undefined ? undefined : checked(tenantName, file['tenant'], 'tenant', problems),
    windowsize: checked(windowSize, file['windowsize'], 'windowsize', problems),
    rules: [...rulesIn(file, '', TENANT_LIST, problems), ...rulesOfServers(file['servers'], problems)],
    tests: testsIn(listIn(file['tests'], 'tests', problems), problems),
    problems,
  };
}

function rulesOfServers(servers: unknown, problems: PlacedProblems): readonly ReadRule[] {
  if (servers === undefined) return [];
  if (!isObject(servers)) {
    problems.add('servers', `${NOT_AN_OBJECT}: ids of servers, each with its rules`);
    return [];
  }
  return Object.entries(servers).flatMap(([id, server]) => {
    const at = `servers["${id}"]`;
    if (checked(serverId, id, at, problems) === undefined) return [];
    if (!isObject(server)) {
      problems.add(at, `${NOT_AN_OBJECT} with rules`);
      return [];
    }
    refuseOthers(server, ['rules'], at, problems);
    return rulesIn(server, at, id, problems);
  });
}

type Members = Readonly<Record<string, unknown>>;

function rulesIn(holder: Members, at: string, list: string, problems: PlacedProblems): readonly ReadRule[] {
  const { rules } = holder as { readonly rules?: unknown };
  const path = at === '' ? 'rules' : `${at}.rules`;
  return listIn(rules, path, problems).flatMap((rule, i) => {
    const where = `${path}[${i}]`;
    if (!isObject(rule)) {
      problems.add(where, NOT_AN_OBJECT);
      return [];
    }
    const { subscriptions, ...draft } = rule;
    const read = checked<RuleDraft>(ruleDraft, draft, where, problems);
    const wanted = subscriptionsIn(subscriptions, `${where}.subscriptions`, list, problems);
    return read === undefined ? [] : [{ list, at: where, wanted: { draft: read, subscriptions: wanted } }];
  });
}

const SERVERS = 'must be a list of at least one id of a server';
const target = targetShape(withoutVariables);
const ofTenant = withTemplate(
  exactly({
    servers: strictly(array(), SERVERS).of(serverId).min(1, SERVERS).required(SERVERS),
    ...target,
  }),
);
const ofServer = withTemplate(exactly(target, '; the rule is of one server'));

function subscriptionsIn(
  given: unknown,
  at: string,
  list: string,
  problems: PlacedProblems,
): readonly WantedSubscription[] | undefined {
  if (given === undefined) return undefined;
  const schema = list === TENANT_LIST ? ofTenant : ofServer;
  return listIn(given, at, problems).flatMap((one, i) => {
    const read = checked(schema.required(NOT_AN_OBJECT), one, `${at}[${i}]`, problems) as
      | (OpenForm & { readonly url: string; readonly servers?: readonly string[] })
      | undefined;
    if (read === undefined) return [];
    const written = writtenUrl(read.url);
    if (typeof written === 'string') problems.add(`${at}[${i}].url`, written.replace(/^url: /, ''));
    const { servers = [list], url, format, headers = {}, template } = read;
    const form = formOf({
      format: format === 'mirzam' ? undefined : format,
      headers: Object.keys(headers).length === 0 ? undefined : headers,
      template,
    });
    return [{ servers, url, ...form }];
  });
}

function listIn(value: unknown, at: string, problems: PlacedProblems): readonly unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  problems.add(at, 'must be a list');
  return [];
}

function refuseOthers(
  value: Members,
  allowed: readonly string[],
  at: string,
  problems: PlacedProblems,
): void {
  for (const name of Object.keys(value).filter((one) => !allowed.includes(one)))
    problems.addMember(
      at === '' ? name : `${at}.${name}`,
      `is not a member here; allowed: ${allowed.join(', ')}`,
    );
}
