import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { renderFields } from '../render.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign root-log --name keys.example.com/root \\
      --shard "0=$(curl -s http://10.0.0.1:8787/log/key)" --shard "1=$(curl -s http://10.0.0.2:8787/log/key)"`;

interface RootLogFlags {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly name?: string;
  readonly shard?: readonly string[];
  readonly witnesses?: string;
  readonly intervalSeconds: number;
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  readonly json?: true;
}

/** `root-log`: one log over the logs of all shards. */
export function addRootLog(program: Command, context: Context): void {
  const command = program
    .command('root-log')
    .helpGroup('Service:')
    .summary('Run the root log of an installation with several shards');
  fillLazily(command, () => {
    command
      .description(
        'Runs a witness for the logs of shards that also keeps a log: every checkpoint that it cosigned becomes an entry. Auditors need only\n' +
          'the key of this log. Start every shard with it in --witnesses. The first run creates its keys.',
      )
      .optionsGroup('Settings:')
      .option('--data-dir <directory>', 'directory for its keys and its log; never restore an older copy', 'countersign-root-log')
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .addOption(new Option('--port <number>', 'port to listen on; 0 picks a free one').default(8789).argParser(Number))
      .option('--name <name>', 'name of a new log, such as keys.example.com/root; a random one by default')
      .addOption(
        new Option(
          '--shard <number=key>',
          'number of a shard and the verifier key of its log, from its /log/key; once for each',
        ).argParser((value: string, before: readonly string[] = []) => [...before, value]),
      )
      .option('--witnesses <list>', 'witnesses that cosign this log, as for serve')
      .addOption(
        new Option('--interval-seconds <number>', 'time between two rounds; each adds at most one entry per shard')
          .default(10)
          .argParser(Number),
      )
      .addOption(
        new Option('--log-level <level>', 'log level').choices(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
      )
      .optionsGroup('Output:')
      .option('--json', 'print one line of JSON with "url", "key" and "witnessKey" when ready')
      .addHelpText('after', example);
  });
  command.action(async ({ json, shard = [], ...settings }: RootLogFlags) => {
    const { ConfigError, startRootLog } = await import('@countersign/server');
    if (!Number.isInteger(settings.port) || settings.port < 0 || settings.port > 65_535)
      throw new ConfigError('--port must be a whole number from 0 to 65535.', 'Choose another --port (0 picks a free one).');
    if (!Number.isInteger(settings.intervalSeconds) || settings.intervalSeconds < 1 || settings.intervalSeconds > 3_600)
      throw new ConfigError('--interval-seconds must be a whole number from 1 to 3600.', 'Start with 10.');
    const running = await startRootLog({ ...settings, shards: shard });
    const stopped = context.untilStopped();
    const { url, key, witnessKey, size, suspended } = running;
    const paint = paintFor(context, context.stdout);
    const fields = { address: url, key, 'witness key': witnessKey, entries: String(size) };
    const ready = paint('green', 'The root log is ready.');
    const summary = [
      suspended === undefined ? ready : `${paint('yellow', 'The root log is suspended.')} ${suspended}`,
      '',
      renderFields(fields, { columns: context.stdout.columns, paint }),
      '',
      `${paint('cyan', 'Try next:')} start every shard with --witnesses '${url}#${witnessKey}'`,
      '',
    ];
    context.stdout.write(
      json ? `${jsonText({ url, key, witnessKey, size, ...(suspended !== undefined && { suspended }) })}\n` : summary.join('\n'),
    );
    await stopped;
    await running.close();
  });
}
