import type { Command } from 'commander';

type Fill = () => void | Promise<void>;

const fills = new WeakMap<Command, Fill>();

/**
 * Completes a subcommand (flags, description) only when it is called or its help is shown. Every operation has a command, and
 * some load the server, so completing all of them would take most of the startup time.
 */
export function fillLazily(command: Command, fill: Fill): void {
  fills.set(command, fill);
  command.parent?.hook('preSubcommand', (_, called) => (called === command ? fillNow(command) : undefined));
}

/** Completes the command if it is not complete yet. */
export async function fillNow(command: Command): Promise<void> {
  const fill = fills.get(command);
  fills.delete(command);
  await fill?.();
}
