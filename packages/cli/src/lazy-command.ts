import type { Command } from 'commander';

/**
 * Completes a subcommand (flags, description) only when it is called or its help is shown. Every operation has a command, and
 * some load the server, so completing all of them would take most of the start-up time.
 */
export function fillLazily(command: Command, fill: () => void | Promise<void>): void {
  command.parent?.hook('preSubcommand', (_, called) => (called === command ? fill() : undefined));
}
