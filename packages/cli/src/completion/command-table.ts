import type { Command, Option } from 'commander';
import { fillNow } from '../lazy-command.ts';
import { namedKinds } from '../names.ts';
import { nounFirst } from '../nouns.ts';
import { FieldOption } from '../operation-flags.ts';

/** Values that a shell completes after a flag. */
export type FlagValue =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  /** Objects of the organization, which only the service knows. */
  | { readonly kind: 'ids'; readonly of: string }
  | { readonly kind: 'profiles' }
  | { readonly kind: 'files' };

export interface CommandFlag {
  /** Including the dashes. */
  readonly flag: string;
  readonly summary: string;
  readonly value: FlagValue;
}

/** Completion entry of one command. */
export interface CommandEntry {
  /** Its words (`policy backtest`), and the noun-first form if it has one. */
  readonly names: readonly (readonly string[])[];
  readonly summary: string;
  readonly flags: readonly CommandFlag[];
  /** Values of its first argument. */
  readonly argument?: FlagValue;
}

/** All commands, with the flags in their help. */
export async function commandTable(program: Command): Promise<CommandEntry[]> {
  const entries: CommandEntry[] = [];
  for (const { words, command } of leaves(program)) {
    await fillNow(command);
    const flags = command.options.filter(({ hidden, long }) => !hidden && long != null).map(flagEntry);
    const first = command.registeredArguments[0]?.name();
    const argument = first === undefined ? undefined : argumentValue(first, words);
    const other = words.length === 1 ? nounFirst(words[0] ?? '') : undefined;
    entries.push({
      names: other === undefined ? [words] : [words, other],
      summary: command.summary() || firstLine(command.description()),
      flags,
      ...(argument && { argument }),
    });
  }
  return entries;
}

/** Flags that most commands have. Completing them everywhere keeps the scripts small. */
export function commonFlags(table: readonly CommandEntry[]): CommandFlag[] {
  const counts = new Map<string, { readonly flag: CommandFlag; count: number }>();
  for (const flag of table.flatMap(({ flags }) => flags)) {
    const key = JSON.stringify(flag);
    counts.set(key, { flag, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].filter(({ count }) => count > table.length / 2).map(({ flag }) => flag);
}

/** The flags of a command that are not common. */
export function ownFlags({ flags }: CommandEntry, common: readonly CommandFlag[]): CommandFlag[] {
  return flags.filter(({ flag }) => !common.some((each) => each.flag === flag));
}

/** Possible next words after the words of a command. */
export function nextWords(table: readonly CommandEntry[]): Map<string, { word: string; summary: string }[]> {
  const next = new Map<string, { word: string; summary: string }[]>();
  for (const { names, summary } of table) {
    for (const words of names) {
      for (const [index, word] of words.entries()) {
        const before = words.slice(0, index).join(' ');
        const known = next.get(before) ?? [];
        if (!known.some((each) => each.word === word)) known.push({ word, summary: index === words.length - 1 ? summary : '' });
        next.set(before, known);
      }
    }
  }
  return next;
}

function leaves(command: Command, above: readonly string[] = []): { words: string[]; command: Command }[] {
  return command.commands.flatMap((one) => {
    const words = [...above, one.name()];
    return one.commands.length > 0 ? leaves(one, words) : [{ words, command: one }];
  });
}

function flagEntry(option: Option): CommandFlag {
  return { flag: option.long ?? '', summary: firstLine(option.description), value: flagValue(option) };
}

const firstLine = (text: string) => text.split('\n')[0] ?? '';

function flagValue(option: Option): FlagValue {
  if (option.long === '--profile') return { kind: 'profiles' };
  if (option.argChoices !== undefined) return { kind: 'choices', choices: option.argChoices };
  if (option instanceof FieldOption && option.completions.length > 0) return { kind: 'choices', choices: option.completions };
  if (option.isBoolean()) return { kind: 'switch' };
  return namedValue(option.attributeName()) ?? { kind: 'files' };
}

function namedValue(name: string): FlagValue | undefined {
  const stem = /^(\w+?)Ids?$/.exec(name)?.[1] ?? '';
  return stem in namedKinds ? { kind: 'ids', of: stem } : undefined;
}

function argumentValue(name: string, [command]: readonly string[]): FlagValue | undefined {
  if (command === 'completion') return { kind: 'choices', choices: ['bash', 'zsh', 'fish'] };
  if (command === 'login') return { kind: 'profiles' };
  if (command === 'approve' || command === 'reject') return { kind: 'ids', of: 'waiting' };
  return namedValue(name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())) ?? { kind: 'files' };
}
