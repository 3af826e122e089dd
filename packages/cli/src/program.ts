import type { Command } from 'commander';
import { addApprovals } from './commands/approvals.ts';
import { addArchive } from './commands/archive.ts';
import { addAudit } from './commands/audit.ts';
import { addBackup } from './commands/backup.ts';
import { addClock } from './commands/clock.ts';
import { addCompletion } from './commands/completion.ts';
import { addDev } from './commands/dev.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events.ts';
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
import { operationEntries } from './operation-entries.ts';
import { createRootCommand } from './root-command.ts';
import { subjectTitles } from './subjects.ts';

/** The command line with all commands. It writes only to the context, and throws instead of ending the process. */
export function createProgram(context: Context): Command {
  const program = createRootCommand(context);
  addInit(program, context);
  addServe(program, context);
  addDev(program, context);
  addListen(program, context);
  addEvents(program, context);
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
  for (const subject of Object.keys(subjectTitles)) {
    for (const entry of operationEntries) if (entry.subject === subject) addOperation(program, entry, context);
  }
  addExport(program, context);
  addImport(program, context);
  addRequest(program.commandsGroup('Anything else:'), context);
  program.helpCommand('help [command]', 'show help for a command');
  return program;
}
