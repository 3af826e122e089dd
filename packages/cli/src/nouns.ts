import type { Command } from 'commander';

/** Synonyms for the verbs of operations. */
const verbs: Readonly<Record<string, string>> = { show: 'get', add: 'create', remove: 'delete', rename: 'update' };

/**
 * Rewrites noun-first calls: `wallet create` to `create-wallet`, `policy list` to `list-policies`, `activity show` to `get-activity`.
 * Leaves the words of existing commands unchanged.
 */
export function withVerbFirst(program: Command, words: readonly string[]): readonly string[] {
  const [noun = '', verb = '', ...rest] = words;
  const own = program.commands.find((command) => command.name() === noun);
  if (own !== undefined && (own.commands.length === 0 || own.commands.some((command) => command.name() === verb))) return words;
  const found = commandOf(noun, verb, (name) => program.commands.some((command) => command.name() === name));
  return found === undefined ? words : [found, ...rest];
}

/** Name of the command for a noun and a verb: `wallet`, `create` → `create-wallet`. Undefined if no such command exists. */
export function commandOf(noun: string, verb: string, exists: (name: string) => boolean): string | undefined {
  if (!/^[a-z][a-z-]*$/.test(verb)) return undefined;
  const candidates = [verbs[verb] ?? verb, verb].flatMap((each) => [noun, plural(noun)].map((name) => `${each}-${name}`));
  return candidates.find(exists);
}

/** Noun-first form of a command: `create-wallet` as `wallet create`. */
export function nounFirst(name: string): readonly string[] | undefined {
  const [, verb = '', noun = ''] =
    /^(create|get|list|update|delete|sign|approve|reject|init|put|set|remove)-([a-z-]+)$/.exec(name) ?? [];
  return noun === '' ? undefined : [singular(noun), verb === 'get' ? 'show' : verb];
}

/** `wallets` → `wallet`. */
export function singular(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  return noun.endsWith('s') && !noun.endsWith('ss') && !noun.endsWith('us') ? noun.slice(0, -1) : noun;
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('s') ? noun : `${noun}s`;
}
