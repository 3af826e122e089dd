import { readFileSync } from 'node:fs';
import { type ActivityDefinition, activities, type QueryDefinition, queries } from '@countersign/contract';
import { Command } from 'commander';
import { addApprovals } from './commands/approvals.ts';
import { addArchive } from './commands/archive.ts';
import { addAudit } from './commands/audit.ts';
import { addBackup } from './commands/backup.ts';
import { addClock } from './commands/clock.ts';
import { addCompletion } from './commands/completion.ts';
import { addDev } from './commands/dev.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplain } from './commands/explain.ts';
import { addExport } from './commands/export.ts';
import { addGenerateApiKey } from './commands/generate-api-key.ts';
import { addImport } from './commands/import.ts';
import { addInit } from './commands/init.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addMail } from './commands/mail.ts';
import { addOperation } from './commands/operation.ts';
import { addPolicy } from './commands/policy.ts';
import { addRecover } from './commands/recover.ts';
import { addRequest } from './commands/request.ts';
import { addRestore } from './commands/restore.ts';
import { addServe } from './commands/serve.ts';
import { addSetupLink } from './commands/setup-link.ts';
import { addTrigger } from './commands/trigger.ts';
import { addVault } from './commands/vault.ts';
import { addWitness } from './commands/witness.ts';
import type { Context } from './context.ts';
import { checkEnvironment } from './environment.ts';
import { describeExitCodes } from './exit-codes.ts';
import { subjectTitles } from './subjects.ts';
import { paintFor } from './terminal.ts';

export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

/** The command line. It writes only to the context, and throws instead of ending the process. */
export function createProgram(context: Context): Command {
  const { stdout, stderr } = context;
  const paint = paintFor(context, stderr);
  const program = new Command('countersign')
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
  addInit(program, context);
  addServe(program, context);
  addDev(program, context);
  addListen(program, context);
  addTrigger(program, context);
  addDoctor(program, context);
  addVault(program, context);
  addClock(program, context);
  addBackup(program, context);
  addRestore(program, context);
  addRecover(program, context);
  addArchive(program, context);
  addWitness(program, context);
  addMail(program, context);
  addLogin(program, context);
  addGenerateApiKey(program, context);
  addSetupLink(program, context);
  addCompletion(program, context);
  addPolicy(program, context);
  addExplain(program, context);
  addAudit(program, context);
  addApprovals(program, context);
  const operations: (ActivityDefinition | QueryDefinition)[] = [...Object.values(activities), ...Object.values(queries)];
  for (const subject of Object.keys(subjectTitles)) {
    for (const definition of operations) if (definition.subject === subject) addOperation(program, definition, context);
  }
  addExport(program, context);
  addImport(program, context);
  addRequest(program.commandsGroup('Anything else:'), context);
  program.helpCommand('help [command]', 'show help for a command');
  return program;
}
