import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign clock accept --data-dir ./countersign-data`;

/** `clock accept`: takes this machine's time for the installation's, although a later one was seen. */
export function addClock(program: Command, context: Context): void {
  const clock = program.command('clock').helpGroup('Service:').description("Look after the installation's time");
  const accept = clock.command('accept').summary('Go back to the time of this machine');
  fillLazily(accept, async () => {
    accept.description(
      'An installation does not start with a clock that is far behind a time that it has seen. Where that time was wrong, because a\n' +
        'clock had been ahead, this command goes back to the time of this machine. Stop every server and set its clock right first.\n' +
        'What expired between the two times is valid again.',
    );
    addSettingFlags(accept, await import('@countersign/server'), { storageOnly: true });
    accept.optionsGroup('Output:').option('--json', 'print the outcome as JSON').addHelpText('after', example);
  });
  accept.action(async (flags: { json?: true } & Record<string, unknown>) => {
    const server = await import('@countersign/server');
    const outcome = await server.acceptClock(configFrom(context, server, flags));
    const { stdout } = context;
    if (flags.json) return stdout.write(`${jsonText(outcome)}\n`);
    const { fromMs, toMs } = outcome;
    const before = fromMs === null ? '' : ` Until now it was ${new Date(fromMs).toISOString()}.`;
    const done = paintFor(context, stdout)('green', `The installation's time is ${new Date(toMs).toISOString()}.`);
    stdout.write(`${done}${before}\n`);
  });
}
