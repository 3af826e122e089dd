import { type Command, Option } from 'commander';
import { keyText } from '../audit/key-text.ts';
import type { MonitorEvent } from '../audit/monitor.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { jsonText, type Paint, paintFor, printable } from '../terminal.ts';

const example = `
For installations with several shards. Run it on a machine of someone who does not operate them. It reports at the latest after --grace-seconds:
a log that shows fewer entries than before, entries of the root log that a shard does not show, leaves of a shard that the root log does not have,
and logs that do not respond. A proof of two histories is reported right away, with the signed checkpoints, and ends the command with exit code 1.

Example:
  $ countersign audit monitor --root-url https://root.example.com --root-key root-key.txt \\
      --log 0=https://keys.example.com/shards/0 --log 1=https://keys.example.com/shards/1`;

interface MonitorFlags {
  readonly rootUrl: string;
  readonly rootKey: string;
  readonly witnessKey?: readonly string[];
  readonly acceptKey?: readonly string[];
  readonly log?: readonly string[];
  readonly state: string;
  readonly intervalSeconds: number;
  readonly graceSeconds: number;
  readonly once?: true;
  readonly json?: true;
}

const gather = (value: string, before: readonly string[] = []) => [...before, value];

/** `audit monitor`: follows the root log of shards and their logs. */
export function addAuditMonitor(parent: Command, context: Context): void {
  parent
    .command('monitor')
    .summary('Follow the root log of shards and their logs, and report contradictions')
    .requiredOption('--root-url <url>', 'address of the root log')
    .requiredOption('--root-key <key>', 'the key of the root log, or a file that contains it')
    .addOption(
      new Option(
        '--log <number=url>',
        'number and address of a shard, or of the router with /shards/<number>; once for each',
      ).argParser(gather),
    )
    .option('--witness-key <key>', 'the key of a witness that must cosign the root log, or a file; can be repeated', gather)
    .option('--accept-key <key>', 'the key of a new log of a shard whose loss was accepted, or a file; can be repeated', gather)
    .option('--state <file>', 'file with what was seen; keep it', 'countersign-monitor.json')
    .addOption(new Option('--interval-seconds <number>', 'time between two rounds').default(60).argParser(Number))
    .addOption(
      new Option('--grace-seconds <number>', 'how long logs may differ before that is reported').default(300).argParser(Number),
    )
    .option('--once', 'end after one round, such as for cron')
    .optionsGroup('Output:')
    .option('--json', 'print one line of JSON for each event')
    .addHelpText('after', example)
    .action((flags: MonitorFlags) => monitor(context, flags));
}

async function monitor(context: Context, flags: MonitorFlags): Promise<void> {
  const { rootUrl, state, once = false, json = false } = flags;
  const intervalMs = milliseconds('--interval-seconds', flags.intervalSeconds, 1);
  const graceMs = milliseconds('--grace-seconds', flags.graceSeconds, 0);
  const { followLogs } = await import('../audit/monitor.ts');
  const { pagesAt } = await import('../audit/log-pages.ts');
  const keys = (given: readonly string[] = []) => Promise.all(given.map(keyText));
  const paint = paintFor(context, context.stdout);
  await followLogs({
    logs: {
      rootKey: (await keyText(flags.rootKey)).trim(),
      witnessKeys: await keys(flags.witnessKey),
      acceptedKeys: await keys(flags.acceptKey),
      root: pagesAt(rootUrl),
      shards: new Map([...addressesOf(flags.log ?? [])].map(([number, url]) => [number, pagesAt(url)])),
    },
    stateFile: state,
    intervalMs,
    graceMs,
    isOnce: once,
    stopped: once ? new Promise(() => {}) : context.untilStopped(),
    report: (event) => context.stdout.write(json ? `${jsonText(event)}\n` : shown(event, paint)),
  });
}

function addressesOf(items: readonly string[]): ReadonlyMap<number, string> {
  const addresses = new Map<number, string>();
  for (const item of items) {
    const [, digits = '', url = ''] = /^(\d{1,5})=(.+)$/.exec(item) ?? [];
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol) || addresses.has(Number(digits)))
      throw new UsageError(
        `--log ${item} is not a number, = and an address, or repeats a number.`,
        'Write --log 1=https://keys.example.com/shards/1.',
      );
    addresses.set(Number(digits), url);
  }
  if (addresses.size === 0)
    throw new UsageError('No shard was given.', 'Pass --log with the number and the address of each shard.');
  return addresses;
}

function milliseconds(name: string, seconds: number, least: number): number {
  if (Number.isInteger(seconds) && seconds >= least && seconds <= 86_400) return seconds * 1000;
  throw new UsageError(`${name} must be a whole number from ${least} to 86400.`, 'Omit it for the default.');
}

function shown(event: MonitorEvent, paint: Paint): string {
  if (event.kind === 'FOLLOWED') {
    const { shards, waitsFor } = event;
    const what = `the root log and ${shards === 1 ? '1 shard' : `${shards} shards`}`;
    if (waitsFor.length === 0) return `${paint('green', 'Consistent:')} ${what}.\n`;
    return [`No contradiction in ${what}. Not complete yet:`, ...waitsFor.map((each) => `  ${printable(each)}`), ''].join('\n');
  }
  const text = printable(event.text);
  if (event.kind === 'ENDED') return `${paint('green', 'Ended:')} ${text}\n`;
  const evidence = event.evidence.map((note) => `\n${note.trimEnd().split('\n').map(printable).join('\n')}\n`).join('');
  if (event.kind === 'CONTRADICTION') return `${paint('red', 'Contradiction:')} ${text}\n${evidence}`;
  return `${paint('yellow', 'Warning:')} ${text} Since ${new Date(event.sinceMs).toISOString()}.\n`;
}
