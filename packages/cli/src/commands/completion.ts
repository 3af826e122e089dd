import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { namedKinds } from '../names.ts';
import { listPendingActivities } from '../pending-activities.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

const example = `
Examples:
  $ source <(countersign completion bash)     # in ~/.bashrc
  $ source <(countersign completion zsh)      # in ~/.zshrc, after compinit
  $ countersign completion fish | source      # in ~/.config/fish/config.fish`;

/** `completion`: a shell script that completes commands, flags and values. */
export function addCompletion(program: Command, context: Context): void {
  const command = program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .argument('[kind]', 'for "completion ids", which the scripts call: the kind of object to list')
    .helpGroup('Service:')
    .summary('Print a shell script that completes commands, flags and values')
    .addHelpText('after', example);
  addConnectionFlags(command);
  command.action(async (shell: string, kind: string | undefined, flags: ConnectionFlags) => {
    const { stdout } = context;
    if (shell === 'ids') return stdout.write(await idsFor(context, kind ?? '', flags));
    if (!shells.some((each) => each === shell))
      throw new UsageError(`There is no script for ${shell}.`, 'Choose bash, zsh or fish.');
    const { commandTable } = await import('../completion/command-table.ts');
    const { bashCompletion } = await import('../completion/bash.ts');
    const { zshCompletion } = await import('../completion/zsh.ts');
    const { fishCompletion } = await import('../completion/fish.ts');
    const write = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }[shell as (typeof shells)[number]];
    stdout.write(write(await commandTable(program)));
  });
}

/**
 * Ids and names to complete, one per line.
 * SECURITY: bash expands completion words, including commands in them, and other users choose names. Print only names that consist of
 * harmless characters.
 */
async function idsFor(context: Context, kind: string, flags: ConnectionFlags): Promise<string> {
  const client = connect(context, flags);
  const words: string[] = [];
  const listed = kind === 'waiting' ? await listPendingActivities(client) : await namedKinds[kind]?.list(client);
  for await (const { id, name } of (listed ?? []) as AsyncIterable<{ id: string; name?: string }>) {
    words.push(id, ...(name === undefined ? [] : [name]));
    if (words.length >= MOST) break;
  }
  return words
    .filter((word) => /^[A-Za-z0-9][A-Za-z0-9._@-]*$/.test(word))
    .map((word) => `${word}\n`)
    .join('');
}

/** Maximum number of completions. */
const MOST = 400;
