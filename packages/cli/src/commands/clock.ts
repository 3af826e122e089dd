import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign clock accept --data-dir ./countersign-data`;

/** `clock accept`: sets the installation's time back to the time of this machine. */
export function addClock(program: Command, context: Context): void {
  const clock = program.command('clock').helpGroup('Service:').description("Manage the installation's time");
  const accept = clock.command('accept').summary('Set the time back to the time of this machine');
  fillLazily(accept, async () => {
    accept.description(
      'An installation refuses to start if the clock is far behind a time that it has seen. If that time was wrong because a clock\n' +
        'was ahead, this command sets the time back to the time of this machine. Stop every server and correct its clock first.\n' +
        'Everything that expired between the two times becomes valid again.',
    );
    addSettingFlags(accept, await import('@countersign/server'), { storageOnly: true });
    accept.optionsGroup('Output:').option('--json', 'print the result as JSON').addHelpText('after', example);
  });
  accept.action(async (flags: { json?: true } & Record<string, unknown>) => {
    const server = await import('@countersign/server');
    const outcome = await server.acceptClock(await configFrom(context, server, flags));
    const { stdout } = context;
    if (flags.json) return stdout.write(`${jsonText(outcome)}\n`);
    const { fromMs, toMs } = outcome;
    const before = fromMs === null ? '' : ` It was ${new Date(fromMs).toISOString()}.`;
    const done = paintFor(context, stdout)('green', `The installation's time is ${new Date(toMs).toISOString()}.`);
    stdout.write(`${done}${before}\n`);
  });
}
