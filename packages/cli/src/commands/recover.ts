import type { Recovery } from '@countersign/server';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign recover --data-dir ./countersign-data`;

/** `recover`: reports the data that a rolled-back database lost, and accepts the loss if the operator agrees. */
export function addRecover(program: Command, context: Context): void {
  const recover = program
    .command('recover')
    .helpGroup('Service:')
    .summary('Report and accept the loss after a database rollback');
  fillLazily(recover, async () => {
    recover.description(
      'A server refuses to start if the log of the database is shorter than it last saw, or has another history: the database was rolled\n' +
        'back or lost commits. It also refuses a copy that was made without countersign backup, and a damaged write-ahead log.\n' +
        'This command reports what is missing. Restore the newest database if you have it.\n' +
        'With --accept-loss the installation continues with the database as it is. Data that was deleted since then exists again. Requests\n' +
        'stamped before this moment are refused, not executed: they must be stamped again. The log records the loss. Stop every server\n' +
        'first; run it for each data directory.',
    );
    addSettingFlags(recover, await import('@countersign/server'), { storageOnly: true });
    recover
      .option('--accept-loss', 'continue with the database as it is')
      .optionsGroup('Output:')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', example);
  });
  recover.action(async (flags: { json?: true; acceptLoss?: true } & Record<string, unknown>) => {
    const server = await import('@countersign/server');
    const { json, acceptLoss = false, ...settings } = flags;
    const outcome = await server.recover(await configFrom(context, server, settings), acceptLoss);
    const { stdout } = context;
    if (json) return stdout.write(`${jsonText(outcome)}\n`);
    const paint = paintFor(context, stdout);
    const [color, sentence] = summaries[outcome.verdict];
    const others = [outcome.walFault, outcome.commitFault, outcome.epochFault].flatMap((fault) =>
      fault === null ? [] : [paint('red', fault)],
    );
    // Do not report a sound log if another check failed.
    const shown = others.length > 0 && outcome.verdict === 'SOUND' ? others : [paint(color, sentence), ...others];
    stdout.write(`${[...shown, ...facts(outcome)].join('\n')}\n`);
  });
}

const summaries = {
  SOUND: ['green', 'Nothing is missing: the log of the database contains everything that this server saw.'],
  SHORTER: ['red', 'The database was rolled back or lost commits.'],
  ANOTHER_HISTORY: ['red', 'The history of the database differs from the one that this server saw.'],
  UNREADABLE: ['red', "The server's high-water mark was not signed by this installation."],
} as const satisfies Record<Recovery['verdict'], readonly ['green' | 'red', string]>;

const REFUSED = 'Requests stamped before this moment are refused, not executed: they must be stamped again.';

function facts({ seen, stored, missing, verdict, setAside, epochFault, raisedTo, walFault, commitFault }: Recovery): string[] {
  const at = (ms: number | null) => (ms === null ? '' : `, the newest of ${new Date(ms).toISOString()}`);
  return [
    ...(seen === null ? [] : [`This server saw   ${seen.entries} entries, at ${new Date(seen.atMs).toISOString()}`]),
    `The database has  ${stored.entries} entries${at(stored.newestAtMs)}`,
    ...(missing > 0 ? [`Missing           ${missing} entries`] : []),
    ...(setAside === null ? [] : [`The loss was accepted. The last seen checkpoint was saved as ${setAside}.`]),
    ...(raisedTo === null
      ? []
      : [`Epoch ${raisedTo} begins. Servers of an earlier epoch can no longer write to this database.`, REFUSED]),
    ...(walFault === null ? [] : ['The loss was accepted. The damaged write-ahead log was renamed.']),
    ...((setAside === null && verdict !== 'SOUND') || ((epochFault ?? commitFault) !== null && raisedTo === null)
      ? ['Restore the newest database. If you do not have it, stop every server and pass --accept-loss.']
      : []),
  ];
}
