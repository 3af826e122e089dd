import { activityEvents } from '@countersign/client';
import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Every event has a number. After an interruption, continue with the number after the last one that you processed: none is missed, none comes twice.

Examples:
  $ countersign events
  $ countersign events --follow --json --from 4711`;

interface EventsFlags extends ConnectionFlags {
  readonly from: string;
  readonly follow?: true;
  readonly json?: true;
}

/** `events`: prints the updates of activities in commit order, and waits for new ones on request. */
export function addEvents(program: Command, context: Context): void {
  const command = program
    .command('events')
    .helpGroup('Service:')
    .summary('Print the updates of activities in commit order, and follow new ones')
    .option('--from <number>', 'number of the first event', '1')
    .option('--follow', 'wait for new events until Ctrl-C');
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--json', 'print one line of JSON for each event')
    .addHelpText('after', example)
    .action((flags: EventsFlags) => events(context, flags));
}

async function events(context: Context, { from, follow, json, ...flags }: EventsFlags): Promise<void> {
  if (!/^[1-9]\d{0,15}$/.test(from))
    throw new UsageError(`--from is not a whole number from 1: ${from}`, 'Pass the number after that of the last event.');
  const { eventLine } = await import('../dev/log-lines.ts');
  const client = connect(context, flags);
  const paint = paintFor(context, context.stdout);
  const stop = new AbortController();
  if (follow) void context.untilStopped().then(() => stop.abort());
  let next = Number(from);
  try {
    for await (const event of activityEvents(client.listEvents, next, { follow: follow === true, signal: stop.signal })) {
      context.stdout.write(`${json ? jsonText(event) : eventLine(event, paint)}\n`);
      next = Number(event.sequence) + 1;
    }
  } catch (error) {
    if (stop.signal.aborted) return;
    if (next > Number(from)) context.stderr.write(`To continue, pass --from ${next}.\n`);
    throw error;
  }
}
