import { operationNames } from '@countersign/client';
import type { Command } from 'commander';
import type { Context } from './context.ts';
import { kebabCase } from './naming.ts';
import { commandOf } from './nouns.ts';
import { createRootCommand } from './root-command.ts';

type Add = (program: Command, context: Context) => void;

/** The modules of commands that are called often, or start a service. Other commands load all modules. */
const modules: Readonly<Record<string, () => Promise<Add>>> = {
  approve: async () => (await import('./commands/approvals.ts')).addApprovals,
  audit: async () => (await import('./commands/audit.ts')).addAudit,
  backup: async () => (await import('./commands/backup.ts')).addBackup,
  dev: async () => (await import('./commands/dev.ts')).addDev,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  explain: async () => (await import('./commands/explain.ts')).addExplain,
  'generate-api-key': async () => (await import('./commands/generate-api-key.ts')).addGenerateApiKey,
  init: async () => (await import('./commands/init.ts')).addInit,
  login: async () => (await import('./commands/login.ts')).addLogin,
  pending: async () => (await import('./commands/approvals.ts')).addApprovals,
  policy: async () => (await import('./commands/policy.ts')).addPolicy,
  reject: async () => (await import('./commands/approvals.ts')).addApprovals,
  request: async () => (await import('./commands/request.ts')).addRequest,
  'root-log': async () => (await import('./commands/root-log.ts')).addRootLog,
  route: async () => (await import('./commands/route.ts')).addRoute,
  serve: async () => (await import('./commands/serve.ts')).addServe,
  trigger: async () => (await import('./commands/trigger.ts')).addTrigger,
  witness: async () => (await import('./commands/witness.ts')).addWitness,
};

const operations: ReadonlyMap<string, string> = new Map(operationNames.map((name) => [kebabCase(name), name]));

/** A program that can run these words. It loads only the called command if possible: loading all of them takes most of the startup time. */
export async function programFor(context: Context, words: readonly string[]): Promise<Command> {
  const [first = '', second = ''] = words;
  const load = modules[first];
  if (load !== undefined) {
    const program = createRootCommand(context);
    (await load())(program, context);
    // A noun such as `policy` can also be the first word of an operation.
    const command = program.commands.find((each) => each.name() === first);
    if (command !== undefined && isComplete(command, second)) return program;
  } else {
    // An operation takes precedence over a noun: `freeze list` freezes.
    const name = operations.get(first) ?? operations.get(commandOf(first, second, (each) => operations.has(each)) ?? '');
    if (name !== undefined) return operationProgram(context, name);
  }
  return (await import('./program.ts')).createProgram(context);
}

const isComplete = (command: Command, next: string) =>
  command.commands.length === 0 || command.commands.some((each) => each.name() === next);

async function operationProgram(context: Context, name: string): Promise<Command> {
  const program = createRootCommand(context);
  const [{ operationEntries }, { addOperation }] = await Promise.all([
    import('./operation-entries.ts'),
    import('./commands/operation.ts'),
  ]);
  const entry = operationEntries.find((each) => each.name === name);
  if (entry !== undefined) addOperation(program, entry, context);
  return program;
}
