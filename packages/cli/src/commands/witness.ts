import type { RunningWitness } from '@countersign/server';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { renderFields } from '../render.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign witness --data-dir ./witness --log-key "$(curl -s http://127.0.0.1:8787/log/key)"`;

interface WitnessFlags {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly name?: string;
  readonly logKey?: readonly string[];
  readonly logLevel: string;
  readonly json?: true;
}

/** `witness`: cosigns log checkpoints, if they extend the checkpoint that it cosigned before. */
export function addWitness(program: Command, context: Context): void {
  const command = program.command('witness').helpGroup('Service:').summary('Run a witness for the logs of installations');
  fillLazily(command, () => {
    command
      .description(
        'Runs a witness (C2SP tlog-witness). It cosigns checkpoints of the configured logs, each only if it extends the last one that it\n' +
          'cosigned. This detects a log with two histories and a log that was rolled back. Run it on another machine than the service,\n' +
          'operated by someone else. The first run creates its key.',
      )
      .optionsGroup('Settings:')
      .option(
        '--data-dir <directory>',
        'directory for its key and the cosigned checkpoints; never restore an older copy',
        'countersign-witness',
      )
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .addOption(new Option('--port <number>', 'port to listen on; 0 picks a free one').default(8788).argParser(Number))
      .option('--name <name>', 'name of a new key, such as witness.example.com/one; a random one by default')
      .addOption(
        new Option('--log-key <key>', 'verifier key of a log, from its /log/key; can be repeated').argParser(
          (value: string, before: readonly string[] = []) => [...before, value],
        ),
      )
      .addOption(
        new Option('--log-level <level>', 'log level').choices(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
      )
      .optionsGroup('Output:')
      .option('--json', 'print one line of JSON with "url" and "key" when ready')
      .addHelpText('after', example);
  });
  command.action(async ({ json, logKey = [], ...settings }: WitnessFlags) => {
    const { ConfigError, startWitness } = await import('@countersign/server');
    if (!Number.isInteger(settings.port) || settings.port < 0 || settings.port > 65_535)
      throw new ConfigError('--port must be a whole number from 0 to 65535.', 'Choose another --port (0 picks a free one).');
    const running = await startWitness({ ...settings, logKeys: logKey });
    const stopped = context.untilStopped();
    const { url, key, logs } = running;
    context.stdout.write(json ? `${jsonText({ url, key, logs })}\n` : summary(context, running));
    await stopped;
    await running.close();
  });
}

function summary(context: Context, { url, key, logs }: RunningWitness): string {
  const paint = paintFor(context, context.stdout);
  const watched = logs.map(({ origin, size }) => `${origin}${size === null ? '' : `, ${size} entries`}`);
  return [
    paint('green', 'The witness is ready.'),
    '',
    renderFields({ address: url, key, watches: watched.join('; ') }, { columns: context.stdout.columns, paint }),
    '',
    `${paint('cyan', 'Try next:')} start the service with --witnesses '${url}#${key}'`,
    '',
  ].join('\n');
}
