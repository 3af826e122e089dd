import { Command } from 'commander';
import type { Context } from './context.ts';
import { checkEnvironment } from './environment.ts';
import { describeExitCodes } from './exit-codes.ts';
import { paintFor } from './terminal.ts';
import { version } from './version.ts';

/** The command without subcommands. It writes only to the context, and throws instead of ending the process. */
export function createRootCommand(context: Context): Command {
  const { stdout, stderr } = context;
  const paint = paintFor(context, stderr);
  return new Command('countersign')
    .description('Keys, policies and signatures, on your own machines.')
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'show this help')
    .exitOverride()
    .hook('preAction', () => checkEnvironment(context))
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns,
      getErrHelpWidth: () => stderr.columns,
      getOutHasColors: () => stdout.isTerminal,
      getErrHasColors: () => stderr.isTerminal,
      outputError: (text, write) => write(text.replace(/^error:/, paint('red', 'Error:'))),
    })
    .showHelpAfterError(`${paint('cyan', 'Fix:')}   Run the command with --help to see its arguments.`)
    .addHelpText(
      'after',
      `\nEvery command has --help, with an example, and --debug, which prints the stack of an error. Operations can be called with the noun\nfirst: countersign wallet create, countersign user list.\n\nExit codes: ${describeExitCodes}.`,
    );
}
