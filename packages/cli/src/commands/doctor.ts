import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { SilentError } from '../silent-error.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign doctor --data-dir ./countersign-data`;

/** `doctor`: checks settings, database, root key and stored state, and suggests fixes. */
export function addDoctor(program: Command, context: Context): void {
  const command = program.command('doctor').helpGroup('Service:').summary('Check that the service can run, and suggest fixes');
  fillLazily(command, async () => {
    command.description(
      'Checks settings, database, root key and stored state. Changes nothing. Exits with 1 if a check fails; warnings (!) do not count.',
    );
    addSettingFlags(command, await import('@countersign/server'));
    command.optionsGroup('Output:').option('--json', 'print the checks as JSON').addHelpText('after', example);
  });
  command.action(async (flags: { json?: true } & Record<string, unknown>) => {
    const server = await import('@countersign/server');
    const checks = await server.runDoctor(await configFrom(context, server, flags));
    const paint = paintFor(context, context.stdout);
    const width = Math.max(0, ...checks.map(({ check }) => check.length));
    const lines = checks.flatMap(({ check, ok, warning, detail, fix }) => [
      `${ok ? (warning ? paint('yellow', '!') : paint('green', '✓')) : paint('red', '✗')} ${check.padEnd(width)}  ${detail}`,
      ...(fix === undefined ? [] : [`  ${' '.repeat(width)}  ${paint('cyan', 'Fix:')} ${fix}`]),
    ]);
    context.stdout.write(flags.json ? `${jsonText(checks)}\n` : `${lines.join('\n')}\n`);
    if (!checks.every(({ ok }) => ok)) throw new SilentError();
  });
}
