import { parser } from '@prometheus-io/lezer-promql';

/** The labels that two sides of an operator are matched by. `on`: by these; else by all but these. */
export interface Matching {
  readonly on: boolean;
  readonly labels: readonly string[];
  readonly group?: 'left' | 'right' | undefined;
}

/** Part of a PromQL expression. `text`: as written, on one line and without comments. `enclosed`: in parentheses. */
export type Promql = { readonly text: string; readonly enclosed?: true } & (
  | { readonly is: 'number'; readonly value: number }
  | { readonly is: 'string'; readonly value: string }
  /** `name` is undefined if only matchers select. `matchers`: with their braces, or ''. */
  | { readonly is: 'selector'; readonly name: string | undefined; readonly matchers: string }
  | { readonly is: 'call'; readonly name: string; readonly args: readonly Promql[] }
  /** `grouping` is undefined without `by` and `without`. The last of `args` is the vector. */
  | {
      readonly is: 'aggregation';
      readonly name: string;
      readonly grouping: { readonly by: boolean; readonly labels: readonly string[] } | undefined;
      readonly args: readonly Promql[];
    }
  /** `modifiers`: the text after the operator, such as `on (instance) group_left ()`, or ''. */
  | {
      readonly is: 'operation';
      readonly operator: string;
      readonly left: Promql;
      readonly right: Promql;
      readonly bool: boolean;
      readonly matching: Matching | undefined;
      readonly modifiers: string;
    }
  | { readonly is: 'negative'; readonly of: Promql }
  /** A range, a subquery, or a part with `offset` or `@`. */
  | { readonly is: 'shifted'; readonly of: Promql }
);

type Node = ReturnType<typeof parser.parse>['topNode'];

/** Reads an expression. Throws an `Error` that says where it cannot be read. */
export function parsePromql(source: string): Promql {
  const text = onOneLine(source);
  const { topNode } = parser.parse(text);
  const broken = faultIn(topNode);
  if (broken !== undefined) {
    const near = text.slice(broken.from, broken.from + 20);
    throw new Error(
      `is not PromQL${near === '' ? ': its end is missing' : `: it cannot be read from "${near}"`}`,
    );
  }
  return partOf(topNode.firstChild!, text);
}

/** Removes comments, and replaces white space outside strings by one space. */
function onOneLine(source: string): string {
  const kept: string[] = [];
  let at = 0;
  const plain = (to: number): void => {
    const text = source.slice(at, to).replaceAll(/\s+/g, ' ');
    kept.push(text.replaceAll(/([([{]) | (?=[)\]}])/g, '$1'));
  };
  parser.parse(source).iterate({
    enter: ({ name, from, to }) => {
      if (name !== 'LineComment' && name !== 'StringLiteral') return;
      plain(from);
      kept.push(name === 'LineComment' ? ' ' : source.slice(from, to));
      at = to;
    },
  });
  plain(source.length);
  return kept.join('').trim();
}

function faultIn(top: Node): Node | undefined {
  let found: Node | undefined;
  top.cursor().iterate((node) => {
    if (node.type.isError) found ??= node.node;
  });
  return found ?? (top.firstChild === null ? top : undefined);
}

function partOf(node: Node, source: string): Promql {
  const text = textOf(node, source);
  switch (node.name) {
    case 'NumberDurationLiteral':
      return { is: 'number', value: numberOf(text), text };
    case 'StringLiteral':
      return { is: 'string', value: text.slice(1, -1), text };
    case 'VectorSelector':
      return { is: 'selector', ...selected(node, source), text };
    case 'ParenExpr':
      return { ...partOf(node.firstChild!, source), text, enclosed: true };
    case 'FunctionCall':
      return { is: 'call', name: textOf(node.firstChild!, source), args: argsOf(node, source), text };
    case 'AggregateExpr':
      return { is: 'aggregation', ...aggregated(node, source), text };
    case 'BinaryExpr':
      return { is: 'operation', ...operated(node, source), text };
    case 'UnaryExpr': {
      const of = partOf(node.lastChild!, source);
      return text.startsWith('-') ? { is: 'negative', of, text } : { ...of, text };
    }
    default:
      return { is: 'shifted', of: partOf(node.firstChild!, source), text };
  }
}

function textOf(node: Node, source: string): string {
  return source.slice(node.from, node.to);
}

function selected(node: Node, source: string): { name: string | undefined; matchers: string } {
  const [name, matchers] = [node.getChild('Identifier'), node.getChild('LabelMatchers')];
  return {
    name: name === null ? undefined : textOf(name, source),
    matchers: matchers === null ? '' : textOf(matchers, source),
  };
}

function argsOf(node: Node, source: string): readonly Promql[] {
  return childrenOf(node.getChild('FunctionCallBody')).map((child) => partOf(child, source));
}

function childrenOf(node: Node | null): readonly Node[] {
  const children: Node[] = [];
  for (let child = node?.firstChild ?? null; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

function labelsOf(node: Node | null, source: string): readonly string[] {
  return childrenOf(node).map((child) => textOf(child, source).replaceAll(/^["'`]|["'`]$/g, ''));
}

function aggregated(node: Node, source: string) {
  const modifier = node.getChild('AggregateModifier');
  return {
    name: textOf(node.getChild('AggregateOp')!, source),
    grouping:
      modifier === null
        ? undefined
        : {
            by: modifier.getChild('By') !== null,
            labels: labelsOf(modifier.getChild('GroupingLabels'), source),
          },
    args: argsOf(node, source),
  };
}

function operated(node: Node, source: string) {
  const [left, operator, ...rest] = childrenOf(node);
  const right = rest.at(-1)!;
  const clause = node.getChild('MatchingModifierClause');
  const has = (name: string): boolean => clause !== null && clause.getChild(name) !== null;
  const group = has('GroupLeft') ? ('left' as const) : has('GroupRight') ? ('right' as const) : undefined;
  return {
    operator: textOf(operator!, source).toLowerCase(),
    left: partOf(left!, source),
    right: partOf(right, source),
    bool: node.getChild('BoolModifier') !== null,
    matching:
      clause === null
        ? undefined
        : { on: has('On'), labels: labelsOf(clause.getChild('GroupingLabels'), source), group },
    modifiers: rest
      .slice(0, -1)
      .filter(({ name }) => name !== 'BoolModifier')
      .map((one) => textOf(one, source))
      .join(' '),
  };
}

const UNIT_S: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};

/** Returns a duration such as `1h30m` in seconds; undefined if it is none. */
export function secondsOf(text: string): number | undefined {
  if (!/^(?:\d+(?:ms|[smhdwy]))+$/.test(text)) return text === '0' ? 0 : undefined;
  const parts = [...text.matchAll(/(\d+)(ms|[smhdwy])/g)];
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_S[unit!]!, 0);
}

function numberOf(text: string): number {
  const [, sign, rest] = /^([+-]?)\s*(.*)$/.exec(text.toLowerCase())!;
  const size = rest!.startsWith('inf') ? Infinity : (secondsOf(rest!) ?? Number(rest!.replaceAll('_', '')));
  return sign === '-' ? -size : size;
}

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '^': (a, b) => a ** b,
};

/** True for `+`, `-`, `*`, `/`, `%` and `^`. */
export function isArithmetic(operator: string): boolean {
  return operator in ARITHMETIC;
}

/** Returns the number that a part made of numbers is; undefined for any other part. */
export function constantOf(part: Promql): number | undefined {
  if (part.is === 'number') return part.value;
  if (part.is === 'negative') {
    const value = constantOf(part.of);
    return value === undefined ? undefined : -value;
  }
  if (part.is !== 'operation') return undefined;
  const [left, right] = [constantOf(part.left), constantOf(part.right)];
  if (left === undefined || right === undefined) return undefined;
  return ARITHMETIC[part.operator]?.(left, right);
}
