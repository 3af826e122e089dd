import { CommanderError } from 'commander';
import type { Context } from './context.ts';
import { reportFault } from './faults.ts';
import { createProgram } from './program.ts';
import { SilentFault } from './silent-fault.ts';

/** Runs the command line and tells its exit code. All output goes to the context; nothing is thrown. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  // Taken out here, so that every command has it without saying so.
  const debug = argv.includes('--debug');
  const words = argv.filter((word) => word !== '--debug');
  try {
    await createProgram(context).parseAsync(normalized(words), { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has written its message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof SilentFault)) reportFault(context, error, { json: words.includes('--json'), debug });
    return 1;
  }
}

/** Nothing at all is a question for help; `help X` is `X --help`, which completes the command before it describes it. */
function normalized([first = '--help', ...rest]: readonly string[]): string[] {
  return first === 'help' && rest.length > 0 ? [...rest, '--help'] : [first, ...rest];
}
