import type { Command } from 'commander';
import { addConnectionFlags, type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { readInput } from '../json-input.ts';
import { jsonText } from '../terminal.ts';

const example = `
Example:
  $ countersign request --path /public/v1/query/whoami --body '{"organizationId":"01981b2c-7d3e-7f40-8a51-6b2c3d4e5f60"}'`;

/** `request`: stamps any body exactly as given, and sends it to any path. */
export function addRequest(program: Command, context: Context): void {
  const command = program
    .command('request')
    .summary('Stamp and send any body')
    .description('Stamps the body byte for byte as given, sends it and prints the response.')
    .optionsGroup('Request:')
    .requiredOption('--path <path>', 'for example /public/v1/query/whoami')
    .requiredOption('--body <json>', 'the body; also @file, or - for standard input');
  addConnectionFlags(command)
    .optionsGroup('Output:')
    .option('--json', 'print the response on one line, even on a terminal')
    .addHelpText('after', example)
    .action(async (flags: ConnectionFlags & { path: string; body: string; json?: true }) => {
      if (!flags.path.startsWith('/')) {
        throw new UsageError(`--path must start with a slash: ${flags.path}`, `Try --path /${flags.path}`);
      }
      const body = await readInput(context, '--body', flags.body);
      const response = await connect(context, flags).request(flags.path, body);
      context.stdout.write(`${jsonText(response, context.stdout.isTerminal && !flags.json)}\n`);
    });
}
