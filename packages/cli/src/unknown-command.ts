import { nearestOf } from '@countersign/server/command';
import type { Command } from 'commander';
import { UsageError } from './errors.ts';
import { nounFirst, singular } from './nouns.ts';

/** Throws UsageError for an unknown command, with the nearest known ones. `words` have the verb first. */
export function refuseUnknownCommand(program: Command, words: readonly string[]): void {
  const [first = '', second = ''] = words;
  const names = program.commands.map((command) => command.name());
  if (first.startsWith('-') || first === 'help' || names.includes(first)) return;
  const nouns = names.flatMap((name) => (nounFirst(name) === undefined ? [] : [nounFirst(name) as readonly string[]]));
  const verbs = nouns.filter(([noun]) => noun === singular(first)).map(([, verb = '']) => verb);
  if (verbs.length === 0)
    throw new UsageError(
      `"${first}" is not a command.${suggestion(first, [...names, ...nouns.map(([noun = '']) => noun)])}`,
      'Run "countersign --help" to list the commands.',
    );
  const verb = second.startsWith('-') ? '' : second;
  throw new UsageError(
    verb === ''
      ? `"${first}" needs a verb.`
      : `"${first} ${verb}" is not a command.${suggestion(verb, verbs, (each) => `${first} ${each}`)}`,
    `The verbs of ${first} are ${[...new Set(verbs)].join(', ')}.`,
  );
}

function suggestion(word: string, known: readonly string[], spell = (each: string) => each): string {
  const near = nearestOf(word, new Set(known)).slice(0, 3).map(spell);
  return near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
}
