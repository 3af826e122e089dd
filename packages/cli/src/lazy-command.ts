import type { Command } from 'commander';

/**
 * Completes a subcommand (flags, description) when it is called or its help is shown, not before: with a command for every
 * operation, and a server behind some, most of a start would otherwise be spent on commands nobody asked for.
 */
export function fillLazily(command: Command, fill: () => void | Promise<void>): void {
  command.parent?.hook('preSubcommand', (_, called) => (called === command ? fill() : undefined));
}
