import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { fillLazily } from '../lazy-command.ts';
import { renderFields } from '../render.ts';
import { jsonText, paintFor } from '../terminal.ts';

const example = `
Example:
  $ countersign route --shard 0=http://10.0.0.1:8787 --shard 1=http://10.0.0.2:8787`;

interface RouteFlags {
  readonly host: string;
  readonly port: number;
  readonly shard?: readonly string[];
  readonly maxBodyBytes: number;
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  readonly json?: true;
}

/** `route`: forwards requests to the shards of an installation. */
export function addRoute(program: Command, context: Context): void {
  const command = program.command('route').helpGroup('Service:').summary('Run a router for an installation with several shards');
  fillLazily(command, () => {
    command
      .description(
        'Forwards each request to the shard whose number is in the id of its organization. It has no state and no keys: run as many as\n' +
          'you need. Start every shard with --trusted-proxies, so that it sees the addresses of clients.',
      )
      .optionsGroup('Settings:')
      .option('--host <address>', 'address to listen on', '127.0.0.1')
      .addOption(new Option('--port <number>', 'port to listen on; 0 picks a free one').default(8790).argParser(Number))
      .addOption(
        new Option('--shard <number=address>', 'number and address of a shard; once for each').argParser(
          (value: string, before: readonly string[] = []) => [...before, value],
        ),
      )
      .addOption(
        new Option('--max-body-bytes <number>', 'largest request body; at least that of the shards')
          .default(1_048_576)
          .argParser(Number),
      )
      .addOption(
        new Option('--log-level <level>', 'log level').choices(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
      )
      .optionsGroup('Output:')
      .option('--json', 'print one line of JSON with "url" when ready')
      .addHelpText('after', example);
  });
  command.action(async ({ json, shard = [], ...settings }: RouteFlags) => {
    const { ConfigError, startRouter } = await import('@countersign/server');
    if (!Number.isInteger(settings.port) || settings.port < 0 || settings.port > 65_535)
      throw new ConfigError('--port must be a whole number from 0 to 65535.', 'Choose another --port (0 picks a free one).');
    if (!Number.isInteger(settings.maxBodyBytes) || settings.maxBodyBytes < 1024 || settings.maxBodyBytes > 16_777_216)
      throw new ConfigError('--max-body-bytes must be a whole number from 1024 to 16777216.', 'Use the value of the shards.');
    const running = await startRouter({ ...settings, shards: shard });
    const stopped = context.untilStopped();
    const { url, shards } = running;
    context.stdout.write(json ? `${jsonText({ url, shards })}\n` : summary(context, url, shards));
    await stopped;
    await running.close();
  });
}

function summary(context: Context, url: string, shards: readonly number[]): string {
  const paint = paintFor(context, context.stdout);
  const fields = renderFields({ address: url, shards: shards.join(', ') }, { columns: context.stdout.columns, paint });
  return [paint('green', 'The router is ready.'), '', fields, ''].join('\n');
}
