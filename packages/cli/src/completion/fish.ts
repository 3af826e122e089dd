import { shellQuote } from '../shell-quote.ts';
import { type CommandEntry, type CommandFlag, commonFlags, type FlagValue, nextWords, ownFlags } from './command-table.ts';

/** A completion script for fish, with a description of each word. */
export function fishCompletion(table: readonly CommandEntry[]): string {
  const words = [...nextWords(table)].flatMap(([before, found]) =>
    found.map(
      ({ word, summary }) =>
        `complete -c countersign -n ${shellQuote(`__countersign_at ${before}`)} -f -a ${word}${described(summary)}`,
    ),
  );
  const common = commonFlags(table);
  const flags = table.flatMap((entry) => {
    const condition = ` -n ${shellQuote(`__countersign_in ${entry.names.map((name) => `'${name.join(' ')}'`).join(' ')}`)}`;
    return ownFlags(entry, common).map((flag) => flagLine(flag, condition));
  });
  const named = table.flatMap(({ names, argument }) =>
    argument === undefined || argument.kind === 'files'
      ? []
      : names.map(
          (name) => `complete -c countersign -n ${shellQuote(`__countersign_at ${name.join(' ')}`)}${actionOf(argument)}`,
        ),
  );
  return `# Completion of countersign for fish. Put into ~/.config/fish/config.fish:  countersign completion fish | source
function __countersign_typed
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and break
    echo $word
  end
end
function __countersign_at
  test (count (__countersign_typed)) -eq (count $argv); and test "$(__countersign_typed | string join ' ')" = "$argv"
end
function __countersign_in
  set -l typed "$(__countersign_typed | string join ' ') "
  for name in $argv
    string match -q -- "$name *" $typed; and return 0
  end
  return 1
end
function __countersign_ids
  set -l tokens (commandline -opc)
  set -l connection
  for i in (seq 2 (count $tokens))
    contains -- $tokens[$i] --url --organization-id --credentials --data-dir --profile; and set -a connection $tokens[$i] $tokens[(math $i + 1)]
  end
  countersign completion ids $argv[1] $connection 2>/dev/null
end
function __countersign_profiles
  set -l base $HOME/.config
  set -q XDG_CONFIG_HOME; and set base $XDG_CONFIG_HOME
  for file in $base/countersign/*.json
    string replace -rf '.*/([A-Za-z0-9._-]+)\\.json$' '$1' $file
  end
end
complete -c countersign -e
${[...words, ...named].join('\n')}
${[...common.map((flag) => flagLine(flag, '')), ...flags].join('\n')}
`;
}

const flagLine = ({ flag, summary, value }: CommandFlag, condition: string) =>
  `complete -c countersign${condition} -l ${flag.slice(2)}${actionOf(value)}${described(summary)}`;

const described = (summary: string) => (summary === '' ? '' : ` -d ${shellQuote(summary)}`);

function actionOf(value: FlagValue): string {
  if (value.kind === 'switch') return '';
  if (value.kind === 'choices') return ` -x -a ${shellQuote(value.choices.join(' '))}`;
  if (value.kind === 'ids') return ` -x -a ${shellQuote(`(__countersign_ids ${value.of})`)}`;
  if (value.kind === 'profiles') return ` -x -a '(__countersign_profiles)'`;
  return ' -r';
}
