import { activities, queries } from '@countersign/contract';
import type { Command } from 'commander';
import { type Context, createProgram, kebabCase, run } from 'countersign';
import { block, page } from './markdown.ts';

/** The help text of every command that is not an operation. */
export async function cliPage(): Promise<string> {
  const { context } = collecting();
  const operations = new Set([...Object.keys(activities), ...Object.keys(queries)].map(kebabCase));
  const names = leaves(createProgram(context)).filter(([name = '']) => !operations.has(name));
  const parts = [block('text', await helpOf([]))];
  for (const name of names) parts.push(`## ${name.join(' ')}`, block('text', await helpOf(name)));
  return page('Command line', 'packages/cli/src', [
    'Every operation of the service is a command, and its page shows the flags: [activities](activities.md), [queries](queries.md). Other commands start the service and maintain it. Credentials come from the file that `init` or the first `serve` saved, or from the environment: `COUNTERSIGN_API_PUBLIC_KEY` and `COUNTERSIGN_API_PRIVATE_KEY`, or `COUNTERSIGN_API_PRIVATE_KEY_FILE`. `--output` and `--query` select the output, and a name or an id prefix is accepted for an id. The exit code shows the kind of failure. A pending activity is a success. `countersign completion bash` prints a script for the shell.',
    ...parts,
  ]);
}

function leaves(command: Command, above: readonly string[] = []): string[][] {
  return command.commands.flatMap((one) => {
    const path = [...above, one.name()];
    return one.commands.length > 0 ? leaves(one, path) : [path];
  });
}

/** The help text of a command. */
export async function helpOf(argv: readonly string[]): Promise<string> {
  const { context, text } = collecting();
  await run([...argv, '--help'], context);
  return text().trimEnd();
}

function collecting(): { context: Context; text: () => string } {
  let written = '';
  const write = (chunk: string) => {
    written += chunk;
  };
  const output = { write, isTerminal: false, columns: 100 };
  const context: Context = {
    environment: {},
    stdout: output,
    stderr: output,
    readStdin: async () => '',
    ask: async () => undefined,
    onLine: () => () => {},
    untilStopped: async () => {},
    onHangup: () => {},
  };
  return { context, text: () => written };
}
