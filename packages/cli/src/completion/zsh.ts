import { shellQuote } from '../shell-quote.ts';
import { type CommandEntry, type CommandFlag, commonFlags, type FlagValue, nextWords, ownFlags } from './command-table.ts';

/** A completion script for zsh, with a description of each word. */
export function zshCompletion(table: readonly CommandEntry[]): string {
  const words = [...nextWords(table)].map(
    ([before, found]) =>
      `    ${shellQuote(before)}) offered=(${found.map(({ word, summary }) => described(word, summary)).join(' ')}) ;;`,
  );
  const common = commonFlags(table);
  const flags = table.map((entry) => `    ${patterns(entry)}) offered=(${describedFlags(ownFlags(entry, common))}) ;;`);
  const values = [
    ...table.flatMap((entry) => ownFlags(entry, common).map(({ flag, value }) => [patterns(entry, flag), value] as const)),
    ...common.map(({ flag, value }) => [`*' ${flag}'`, value] as const),
  ].flatMap(([pattern, value]) => {
    const action = actionOf(value);
    return action === undefined ? [] : [`    ${pattern}) ${action}; return ;;`];
  });
  const named = table.flatMap((entry) => {
    const action = entry.argument === undefined || entry.argument.kind === 'files' ? undefined : actionOf(entry.argument);
    return action === undefined ? [] : [`    ${patterns(entry)}) ${action} ;;`];
  });
  return `#compdef countersign
# Completion of countersign for zsh. Put into ~/.zshrc, after compinit:  source <(countersign completion zsh)
_countersign() {
  local command="" word i
  local -a offered connection
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$word" in
      --url|--organization-id|--credentials|--data-dir|--profile) connection+=("$word" "\${words[i+1]}") ;;
      -*) ;;
      *) _countersign_words "$command"; (( \${#\${(@M)offered:#\${(b)word}:*}} )) && command="\${command:+$command }$word" ;;
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${values.join('\n')}
    *) ;;
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    offered=()
    _countersign_flags "$command"
    _describe -o flag offered
    return
  fi
  offered=()
  _countersign_words "$command"
  if (( \${#offered} )); then _describe command offered; return; fi
  case "$command" in
${named.join('\n')}
    *) _files ;;
  esac
}
_countersign_words() {
  offered=()
  case "$1" in
${words.join('\n')}
    *) ;;
  esac
}
_countersign_flags() {
  case "$1" in
${flags.join('\n')}
    *) ;;
  esac
  offered+=(${describedFlags(common)})
}
_countersign_ids() { compadd -- \${(f)"$(countersign completion ids "$1" "\${connection[@]}" 2>/dev/null)"} }
_countersign_profiles() { compadd -- \${XDG_CONFIG_HOME:-$HOME/.config}/countersign/*.json(N:t:r) }
compdef _countersign countersign
`;
}

const patterns = ({ names }: CommandEntry, flag = '') =>
  names.map((words) => shellQuote(`${words.join(' ')}${flag === '' ? '' : ` ${flag}`}`)).join('|');

const describedFlags = (flags: readonly CommandFlag[]) => flags.map(({ flag, summary }) => described(flag, summary)).join(' ');

const described = (word: string, summary: string) =>
  shellQuote(`${word.replaceAll(':', '\\:')}:${summary.replaceAll(/[\n:]/g, ' ')}`);

function actionOf(value: FlagValue): string | undefined {
  if (value.kind === 'choices') return `compadd -- ${value.choices.map(shellQuote).join(' ')}`;
  if (value.kind === 'ids') return `_countersign_ids ${value.of}`;
  if (value.kind === 'profiles') return '_countersign_profiles';
  return value.kind === 'files' ? '_files' : undefined;
}
