import { CommanderError } from 'commander';
import { programFor } from './called-program.ts';
import type { Context } from './context.ts';
import { reportError } from './errors.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { withVerbFirst } from './nouns.ts';
import { SilentError } from './silent-error.ts';
import { refuseUnknownCommand } from './unknown-command.ts';

/** Runs the command line and returns its exit code. Writes all output to the context and never throws. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  // Every command accepts --debug without declaring it.
  const debug = argv.includes('--debug');
  const words = argv.filter((word) => word !== '--debug');
  try {
    const given = normalized(words);
    const program = await programFor(context, given);
    const called = withVerbFirst(program, given);
    refuseUnknownCommand(program, called);
    await program.parseAsync(called, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander already wrote its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
    if (!(error instanceof SilentError)) reportError(context, error, { json: asksForJson(words), debug });
    return exitCodeOf(error);
  }
}

/** Whether errors are printed as JSON. */
function asksForJson(words: readonly string[]): boolean {
  return words.some((word, index) => /^--(json|output=json)$/.test(word) || (word === '--output' && words[index + 1] === 'json'));
}

/** No arguments mean `--help`. `help X` becomes `X --help`, which completes the command before describing it. */
function normalized([first = '--help', ...rest]: readonly string[]): string[] {
  return first === 'help' && rest.length > 0 ? [...rest, '--help'] : [first, ...rest];
}
