import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { UsageFault } from '../faults.ts';
import { namedKinds } from '../names.ts';
import { waitingActivities } from '../waiting.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

const example = `
Examples:
  $ source <(countersign completion bash)     # in ~/.bashrc
  $ source <(countersign completion zsh)      # in ~/.zshrc, after compinit
  $ countersign completion fish | source      # in ~/.config/fish/config.fish`;

/** `completion`: a script with which a shell completes commands, flags and values. */
export function addCompletion(program: Command, context: Context): void {
  const command = program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .argument('[kind]', 'for "completion ids": the kind of thing to list; the scripts call this')
    .helpGroup('Service:')
    .summary('Print a script with which a shell completes commands, flags and values')
    .addHelpText('after', example);
  addConnectionFlags(command);
  command.action(async (shell: string, kind: string | undefined, flags: ConnectionFlags) => {
    const { stdout } = context;
    if (shell === 'ids') return stdout.write(await idsFor(context, kind ?? '', flags));
    if (!shells.some((each) => each === shell))
      throw new UsageFault(`There is no script for ${shell}.`, 'Take bash, zsh or fish.');
    const { commandTable } = await import('../completion/command-table.ts');
    const { bashCompletion } = await import('../completion/bash.ts');
    const { zshCompletion } = await import('../completion/zsh.ts');
    const { fishCompletion } = await import('../completion/fish.ts');
    const write = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }[shell as (typeof shells)[number]];
    stdout.write(write(await commandTable(program)));
  });
}

/**
 * Ids and names to complete, one on a line.
 * SECURITY: bash expands the words that it completes, commands in them included, and names are chosen by others. Only names of harmless
 * characters are given.
 */
async function idsFor(context: Context, kind: string, flags: ConnectionFlags): Promise<string> {
  const client = connect(context, flags);
  const words: string[] = [];
  const listed = kind === 'waiting' ? await waitingActivities(client) : await namedKinds[kind]?.list(client);
  for await (const { id, name } of (listed ?? []) as AsyncIterable<{ id: string; name?: string }>) {
    words.push(id, ...(name === undefined ? [] : [name]));
    if (words.length >= MOST) break;
  }
  return words
    .filter((word) => /^[A-Za-z0-9][A-Za-z0-9._@-]*$/.test(word))
    .map((word) => `${word}\n`)
    .join('');
}

/** More than this helps nobody. */
const MOST = 400;
