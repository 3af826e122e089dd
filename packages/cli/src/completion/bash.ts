import { shellQuote } from '../shell-quote.ts';
import { type CommandEntry, commonFlags, type FlagValue, nextWords, ownFlags } from './command-table.ts';

/** A completion script for bash. It contains everything except ids, so that most completions start no process. */
export function bashCompletion(table: readonly CommandEntry[]): string {
  return `# Completion of countersign for bash. Put into ~/.bashrc:  source <(countersign completion bash)
_countersign_words() {
  case "$1" in
${wordCases(table)}
    *) ;;
  esac
}
_countersign_flags() {
  case "$1" in
${flagCases(table)}
    *) ;;
  esac
}
_countersign_argument() {
  case "$1" in
${argumentCases(table)}
    *) ;;
  esac
}
_countersign_value() {
  case "$1" in
${valueCases(table)}
    *) ;;
  esac
}
_countersign_offer() {
  case "$1" in
    choices:*) COMPREPLY=($(compgen -W "\${1#choices:}" -- "$cur")) ;;
    profiles) COMPREPLY=($(compgen -W "$(cd "\${XDG_CONFIG_HOME:-$HOME/.config}/countersign" 2>/dev/null && printf '%s\\n' *.json | sed -n 's/^\\([A-Za-z0-9._-]*\\)\\.json$/\\1/p')" -- "$cur")) ;;
    ids:*) COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" completion ids "\${1#ids:}" "\${_countersign_connection[@]}" 2>/dev/null)" -- "$cur")) ;;
    files) compopt -o default 2>/dev/null; COMPREPLY=() ;;
  esac
}
_countersign() {
  local cur prev command="" word found kind i _countersign_connection=()
  cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      --url|--organization-id|--credentials|--data-dir|--profile) _countersign_connection+=("$word" "\${COMP_WORDS[i+1]}") ;;
      -*) ;;
      *) if [[ -n "$(_countersign_words "$command")" && " $(_countersign_words "$command") " == *" $word "* ]]; then command="\${command:+$command }$word"; fi ;;
    esac
  done
  if [[ "$prev" == --* ]]; then
    kind="$(_countersign_value "$command $prev")"
    if [[ -n "$kind" ]]; then _countersign_offer "$kind"; return; fi
  fi
  if [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$(_countersign_flags "$command")" -- "$cur"))
    return
  fi
  found="$(_countersign_words "$command")"
  if [[ -n "$found" ]]; then COMPREPLY=($(compgen -W "$found" -- "$cur")); return; fi
  _countersign_offer "$(_countersign_argument "$command")"
}
complete -F _countersign countersign
`;
}

function wordCases(table: readonly CommandEntry[]): string {
  return [...nextWords(table)]
    .map(([before, found]) => `    ${shellQuote(before)}) printf '%s' ${shellQuote(found.map(({ word }) => word).join(' '))} ;;`)
    .join('\n');
}

function argumentCases(table: readonly CommandEntry[]): string {
  return grouped(table.flatMap(({ names, argument }) => (argument === undefined ? [] : [[names, spec(argument)] as const])));
}

function flagCases(table: readonly CommandEntry[]): string {
  return grouped(table.map(({ names, flags }) => [names, [...flags.map(({ flag }) => flag), '--help'].join(' ')] as const));
}

function valueCases(table: readonly CommandEntry[]): string {
  const common = commonFlags(table);
  const every = common.map(({ flag, value }) => [[['*', flag]], spec(value)] as const);
  const own = table.flatMap((entry) =>
    ownFlags(entry, common).map(({ flag, value }) => [entry.names.map((words) => [...words, flag]), spec(value)] as const),
  );
  return grouped([...own, ...every].filter(([, value]) => value !== 'switch'));
}

/** Groups patterns with the same text into one line. */
function grouped(pairs: readonly (readonly [names: readonly (readonly string[])[], text: string])[]): string {
  const byText = new Map<string, string[]>();
  for (const [names, text] of pairs) byText.set(text, [...(byText.get(text) ?? []), ...names.map(pattern)]);
  return [...byText].map(([text, patterns]) => `    ${patterns.join('|')}) printf '%s' ${shellQuote(text)} ;;`).join('\n');
}

const pattern = (words: readonly string[]) => (words[0] === '*' ? `*' ${words[1]}'` : shellQuote(words.join(' ')));

function spec(value: FlagValue): string {
  if (value.kind === 'choices') return `choices:${value.choices.join(' ')}`;
  return value.kind === 'ids' ? `ids:${value.of}` : value.kind;
}
