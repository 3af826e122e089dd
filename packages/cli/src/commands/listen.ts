import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect, readConnection } from '../connection.ts';
import type { Context } from '../context.ts';
import type { Inspector } from '../dev/inspector.ts';
import { CliFault } from '../faults.ts';
import { jsonText, type Paint, paintFor } from '../terminal.ts';

const example = `
The service must be on this machine and allow receivers on it, as "countersign dev" does: countersign serve --webhook-networks 127.0.0.0/8

Example:
  $ countersign listen --forward-to http://127.0.0.1:3000/webhooks`;

interface ListenFlags extends ConnectionFlags {
  readonly forwardTo?: string;
  readonly json?: true;
}

/** `listen`: receives the events of the organization here, shows them, and forwards them. Its endpoint is removed at the end. */
export function addListen(program: Command, context: Context): void {
  const command = program
    .command('listen')
    .helpGroup('Service:')
    .summary('Show the events of the organization as they happen, and forward them')
    .option('--forward-to <url>', 'post every event to this address too, as it came');
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--json', 'print one line of JSON for each event')
    .addHelpText('after', example)
    .action((flags: ListenFlags) => listen(context, flags));
}

async function listen(context: Context, flags: ListenFlags): Promise<void> {
  const { forwardTo } = flags;
  if (forwardTo !== undefined && !URL.canParse(forwardTo))
    throw new CliFault(`--forward-to is not a URL: ${forwardTo}`, 'Give it in full: http://127.0.0.1:3000/webhooks.');
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
      throw new CliFault(
        `The endpoint was not created: activity ${activity.id} waits for approvals.`,
        'Use a key that may create one.',
      );
    const stopped = context.untilStopped();
    context.stderr.write('Listening. "r" and Enter sends the last event again, "r ID" that one. Ctrl-C ends it.\n');
    const silence = context.onLine((line) => replayOnRequest(context, inspector, line, paint));
    await stopped;
    silence();
    await client.deleteWebhookEndpoint({ endpointId: result.endpointId });
  } finally {
    await inspector.close();
  }
}

/** Sends an event again if the line asks for it: `r`, or `r` with the beginning of its id. */
export async function replayOnRequest(context: Context, inspector: Inspector, line: string, paint: Paint): Promise<void> {
  const [, id] = /^r(?:\s+(\S+))?$/.exec(line.trim()) ?? [];
  if (!/^r\b/.test(line.trim())) return;
  const again = await inspector.replay(id);
  const { deliveryLine } = await import('../dev/log-lines.ts');
  context.stdout.write(again === undefined ? 'There is no such event.\n' : `${deliveryLine(again, paint, true)}\n`);
}
