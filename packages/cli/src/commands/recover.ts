import type { Recovery } from '@countersign/server';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { addSettingFlags, configFrom } from '../settings-flags.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign recover --data-dir ./countersign-data`;

/** `recover`: shows what a database that was put back has lost, and goes on with it if the operator accepts that. */
export function addRecover(program: Command, context: Context): void {
  const recover = program.command('recover').helpGroup('Service:').summary('Go on after the database was put back');
  fillLazily(recover, async () => {
    recover.description(
      'A server does not start on a database whose log is shorter than what it saw, or has another history: it was put back, or lost\n' +
        'commits. Nor does it start on a copy that was made without countersign backup, or on a damaged write-ahead log.\n' +
        'This command shows what is missing. Bring the newest database back if there is one.\n' +
        'With --accept-loss it goes on with the database as it is. What was deleted since is back, and signed requests of the last hour\n' +
        'can be carried out again. The log gets an entry that says so. Stop every server first, and run it for each data directory.',
    );
    addSettingFlags(recover, await import('@countersign/server'), { storageOnly: true });
    recover
      .option('--accept-loss', 'go on with the database as it is')
      .optionsGroup('Output:')
      .option('--json', 'print the outcome as JSON')
      .addHelpText('after', example);
  });
  recover.action(async (flags: { json?: true; acceptLoss?: true } & Record<string, unknown>) => {
    const server = await import('@countersign/server');
    const { json, acceptLoss = false, ...settings } = flags;
    const outcome = await server.recover(configFrom(context, server, settings), acceptLoss);
    const { stdout } = context;
    if (json) return stdout.write(`${jsonText(outcome)}\n`);
    const paint = paintFor(context, stdout);
    const [color, sentence] = summaries[outcome.verdict];
    const others = [outcome.walFault, outcome.commitFault, outcome.epochFault].flatMap((fault) =>
      fault === null ? [] : [paint('red', fault)],
    );
    // A sound log does not outweigh what else is wrong.
    const shown = others.length > 0 && outcome.verdict === 'SOUND' ? others : [paint(color, sentence), ...others];
    stdout.write(`${[...shown, ...facts(outcome)].join('\n')}\n`);
  });
}

const summaries = {
  SOUND: ['green', 'Nothing is missing: the log of the database begins with all that this server saw.'],
  SHORTER: ['red', 'The database was put back, or it lost commits.'],
  ANOTHER_HISTORY: ['red', 'The database has another history than the one that this server saw.'],
  UNREADABLE: ['red', 'The note of what this server saw is not one that this installation signed.'],
} as const satisfies Record<Recovery['verdict'], readonly ['green' | 'red', string]>;

function facts({ seen, stored, missing, verdict, setAside, epochFault, raisedTo, walFault, commitFault }: Recovery): string[] {
  const at = (ms: number | null) => (ms === null ? '' : `, the newest of ${new Date(ms).toISOString()}`);
  return [
    ...(seen === null ? [] : [`This server saw   ${seen.entries} entries, at ${new Date(seen.atMs).toISOString()}`]),
    `The database has  ${stored.entries} entries${at(stored.newestAtMs)}`,
    ...(missing > 0 ? [`Missing           ${missing} entries`] : []),
    ...(setAside === null ? [] : [`The loss was accepted. The checkpoint that was seen is kept as ${setAside}.`]),
    ...(raisedTo === null ? [] : [`Epoch ${raisedTo} begins. Servers of an earlier epoch can no longer write to this database.`]),
    ...(walFault === null ? [] : ['The loss was accepted. The damaged write-ahead log is kept under another name.']),
    ...((setAside === null && verdict !== 'SOUND') || ((epochFault ?? commitFault) !== null && raisedTo === null)
      ? ['Bring the newest database back. If there is none, stop every server and add --accept-loss.']
      : []),
  ];
}
