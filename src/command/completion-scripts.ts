import type { Command, Option } from 'commander';
import { shellQuoted } from '../untrusted/text.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A word that can be completed. */
interface Word {
  readonly text: string;
  readonly about: string;
  /** What follows an option: nothing, a file, or another value. */
  readonly value: 'none' | 'file' | 'other';
}

/** What can follow a command. */
interface Place {
  /** The words that call it below the program, such as `rules diff`; empty for the program itself. */
  readonly route: readonly string[];
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** Words that its arguments can be. */
  readonly choices: readonly string[];
}

/** Returns the script that has a shell complete the words of a program. */
export function completionScript(shell: Shell, program: Command): string {
  const places = placesOf(program, []);
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return scripts[shell](places);
}

function placesOf(command: Command, route: readonly string[]): readonly Place[] {
  const options = command.options.filter(({ hidden }) => !hidden).flatMap(optionWords);
  const help: Word = { text: '--help', about: 'display help for command', value: 'none' };
  const place: Place = {
    route,
    commands: command.commands.map((child) => ({
      text: child.name(),
      about: child.summary(),
      value: 'none',
    })),
    options: [...options, help],
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [place, ...command.commands.flatMap((child) => placesOf(child, [...route, child.name()]))];
}

function optionWords({ long, description, required, optional, flags }: Option): readonly Word[] {
  if (long === undefined || long === null) return [];
  const takesFile = /<FILE>/.test(flags);
  return [
    {
      text: long,
      about: description,
      value: !required && !optional ? 'none' : takesFile ? 'file' : 'other',
    },
  ];
}

/** Returns the lines of a `case` that follows the words of the line to the place of the cursor. */
function routeCases(places: readonly Place[]): string {
  return places
    .filter(({ route }) => route.length > 0)
    .map(({ route }) => `      '/${route.join('/')}') route="$route/$word" ;;\n`)
    .join('');
}

/** Returns the options of all places whose value is of this kind, as the pattern of a `case`. */
function pattern(places: readonly Place[], value: Word['value']): string {
  const texts = places.flatMap(({ options }) => options.filter((one) => one.value === value));
  return [...new Set(texts.map(({ text }) => text))].join('|') || "''";
}

/** For bash 3.2 too, which macOS has. */
function bashScript(places: readonly Place[]): string {
  const words = ({ commands, options, choices }: Place): string =>
    [...commands.map(({ text }) => text), ...choices, ...options.map(({ text }) => text)].join(' ');
  const cases = places.map((place) => `    '${slashed(place)}') words='${words(place)}' ;;\n`).join('');
  return `_mirzam() {
  local word route='' words='' current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  case "$before" in
    ${pattern(places, 'file')}) local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$current")); return ;;
    ${pattern(places, 'other')}) return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$route/$word" in
${routeCases(places)}    esac
  done
  case "$route" in
${cases}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _mirzam mirzam
`;
}

function zshScript(places: readonly Place[]): string {
  const described = (some: readonly Word[]): string =>
    some.map(({ text, about }) => shellQuoted(`${text}:${about}`)).join(' ');
  const cases = places
    .map((place) => {
      const commands = [
        ...place.commands,
        ...place.choices.map((text): Word => ({ text, about: '', value: 'none' })),
      ];
      return `    '${slashed(place)}') commands=(${described(commands)}); options=(${described(place.options)}) ;;\n`;
    })
    .join('');
  return `#compdef mirzam
_mirzam() {
  local word route=''
  local -a commands options
  case "\${words[CURRENT-1]}" in
    ${pattern(places, 'file')}) _files; return ;;
    ${pattern(places, 'other')}) return ;;
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$route/$word" in
${routeCases(places)}    esac
  done
  case "$route" in
${cases}  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o option options
  elif (( \${#commands} )); then
    _describe command commands
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _mirzam ]]; then _mirzam; elif (( $+functions[compdef] )); then compdef _mirzam mirzam; fi
`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ route, commands, options, choices }) => {
    const when =
      route.length === 0
        ? '__fish_use_subcommand'
        : [
            ...route.map((name) => `__fish_seen_subcommand_from ${name}`),
            ...(commands.length === 0
              ? []
              : [`not __fish_seen_subcommand_from ${commands.map(({ text }) => text).join(' ')}`]),
          ].join('; and ');
    const start = `complete -c mirzam -n ${fishQuoted(when)}`;
    return [
      ...commands.map(({ text, about }) => `${start} -f -a ${text} -d ${fishQuoted(about)}`),
      ...(choices.length === 0 ? [] : [`${start} -f -a ${fishQuoted(choices.join(' '))}`]),
      ...options.map(
        ({ text, about, value }) =>
          `${start} -l ${text.slice(2)}${{ none: '', file: ' -r -F', other: ' -x' }[value]} -d ${fishQuoted(about)}`,
      ),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function slashed({ route }: Place): string {
  return route.map((name) => `/${name}`).join('');
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
