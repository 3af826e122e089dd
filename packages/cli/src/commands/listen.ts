import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect, readConnection } from '../connection.ts';
import type { Context } from '../context.ts';
import type { Inspector } from '../dev/inspector.ts';
import { CliError, UsageError } from '../errors.ts';
import { jsonText, type Paint, paintFor } from '../terminal.ts';

const example = `
The service must run on this machine and allow local receivers, as "countersign dev" does: countersign serve --webhook-networks 127.0.0.0/8

Example:
  $ countersign listen --forward-to http://127.0.0.1:3000/webhooks`;

interface ListenFlags extends ConnectionFlags {
  readonly forwardTo?: string;
  readonly json?: true;
}

/** `listen`: receives the events of the organization, shows them and forwards them. Removes its webhook endpoint when it stops. */
export function addListen(program: Command, context: Context): void {
  const command = program
    .command('listen')
    .helpGroup('Service:')
    .summary('Show the events of the organization as they happen, and forward them')
    .option('--forward-to <url>', 'also post every event, unchanged, to this address');
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--json', 'print one line of JSON for each event')
    .addHelpText('after', example)
    .action((flags: ListenFlags) => listen(context, flags));
}

async function listen(context: Context, flags: ListenFlags): Promise<void> {
  const { forwardTo } = flags;
  if (forwardTo !== undefined && !URL.canParse(forwardTo))
    throw new UsageError(`--forward-to is not a URL: ${forwardTo}`, 'Pass a full URL: http://127.0.0.1:3000/webhooks.');
  const { startInspector } = await import('../dev/inspector.ts');
  const { deliveryLine } = await import('../dev/log-lines.ts');
  const client = connect(context, flags);
  const { baseUrl } = readConnection(context, flags);
  const paint = paintFor(context, context.stdout);
  const inspector = await startInspector({ baseUrl, ...(forwardTo !== undefined && { forwardTo }) }, (delivery) =>
    context.stdout.write(
      `${flags.json ? jsonText({ event: delivery.event, forwarded: delivery.forwarded }) : deliveryLine(delivery, paint)}\n`,
    ),
  );
  try {
    const { activity, result } = await client.createWebhookEndpoint({ name: 'countersign listen', url: inspector.url });
    if (result === undefined)
      throw new CliError(
        `The endpoint was not created: activity ${activity.id} is pending approval.`,
        'Use an API key that may create webhook endpoints.',
      );
    const stopped = context.untilStopped();
    context.stderr.write('Listening. Type "r" and Enter to resend the last event, "r ID" to resend another. Ctrl-C stops.\n');
    const silence = context.onLine((line) => replayOnRequest(context, inspector, line, paint));
    await stopped;
    silence();
    await client.deleteWebhookEndpoint({ endpointId: result.endpointId });
  } finally {
    await inspector.close();
  }
}

/** Resends an event on the line `r`, or `r` and an id prefix. */
export async function replayOnRequest(context: Context, inspector: Inspector, line: string, paint: Paint): Promise<void> {
  const [, id] = /^r(?:\s+(\S+))?$/.exec(line.trim()) ?? [];
  if (!/^r\b/.test(line.trim())) return;
  const again = await inspector.replay(id);
  const { deliveryLine } = await import('../dev/log-lines.ts');
  context.stdout.write(again === undefined ? 'Event not found.\n' : `${deliveryLine(again, paint, true)}\n`);
}
