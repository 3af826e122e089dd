import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { CliError, UsageError } from '../errors.ts';
import { renderFields } from '../render.ts';
import { jsonText, paintFor } from '../terminal.ts';
import { cellText, isFields } from './cells.ts';
import { csvText } from './csv.ts';
import { renderTable } from './table.ts';

export const outputForms = ['table', 'json', 'yaml', 'csv'] as const;

export interface OutputFlags {
  readonly output?: (typeof outputForms)[number];
  readonly query?: string;
  readonly json?: true;
}

/** Adds `--output`, `--query`, and `--json` for the unchanged response. */
export function addOutputFlags(command: Command, json = 'print the response unchanged'): Command {
  return command
    .optionsGroup('Output:')
    .addOption(new Option('--output <form>', 'table, json, yaml or csv').choices(outputForms))
    .option('--query <expression>', 'print a part of the result, named by a JMESPath expression')
    .addOption(new Option('--json', json).conflicts(['output', 'query']));
}

/**
 * Writes a result in the requested format, by default in the readable one.
 * Throws UsageError for an invalid JMESPath expression.
 */
export async function writeResult(context: Context, flags: OutputFlags, value: unknown, readable: () => string): Promise<void> {
  const { stdout } = context;
  const write = (text: string) => stdout.write(`${text}\n`);
  if (flags.query === undefined && flags.output === undefined) return stdout.write(readable());
  const found = flags.query === undefined ? value : await select(value, flags.query);
  const options = { columns: stdout.columns, paint: paintFor(context, stdout) };
  if (flags.output === 'json') return write(jsonText(found, true));
  if (flags.output === 'yaml') return write((await import('./yaml.ts')).yamlText(found));
  if (flags.output === 'csv') return write(csvText(found));
  if (flags.output === 'table') return write(renderTable(found, options));
  // For `$(countersign … --query …)`: scalars without quotes, one per line.
  if (isFields(found)) return write(renderFields(found, options));
  if (Array.isArray(found) && found.length > 0 && found.every(isFields)) return write(renderTable(found, options));
  if (Array.isArray(found)) return stdout.write(found.map((item) => `${cellText(item)}\n`).join(''));
  return write(cellText(found));
}

/** Throws UsageError for an invalid expression before the request is sent. */
export async function checkQuery({ query }: OutputFlags): Promise<void> {
  if (query === undefined) return;
  try {
    (await jmespath()).search({}, query);
  } catch (cause) {
    const { name, message } = cause as Error;
    // Other errors depend on the data.
    if (!/^(Parser|Lexer)Error$/.test(name) && !message.startsWith('Unknown function')) return;
    throw new UsageError(
      `--query is not a JMESPath expression: ${message}`,
      "Write it as --query 'wallets[].walletName'; https://jmespath.org explains the language.",
      { cause },
    );
  }
}

async function select(value: unknown, expression: string): Promise<unknown> {
  try {
    return (await jmespath()).search(value, expression);
  } catch (cause) {
    throw new CliError(
      `The request succeeded, but --query does not match its result: ${(cause as Error).message}`,
      'Omit --query to see the names in the result.',
      { cause },
    );
  }
}

const jmespath = async () => (await import('jmespath')).default;
