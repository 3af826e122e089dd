import { CountersignError } from '@countersign/client';
import { OperatorError } from '@countersign/contract/operator-error';
import type { Context } from './context.ts';
import { systemErrorOf } from './system-errors.ts';
import { jsonText, paintFor, printable, printableLines } from './terminal.ts';

/** An error that the user can fix. */
export class CliError extends OperatorError {
  override readonly name = 'CliError';
}

/** Invalid flags or parameters. */
export class UsageError extends CliError {}

/** An unknown name or id. */
export class NotFoundError extends CliError {}

/** The service is not running. */
export class UnavailableError extends CliError {}

export interface ReportOptions {
  readonly json: boolean;
  /** Also print the stack. */
  readonly debug: boolean;
}

/** Prints the error and its fix to stderr. With `json`, prints JSON. */
export function reportError(context: Context, error: unknown, { json, debug }: ReportOptions): void {
  const { stderr } = context;
  const paint = paintFor(context, stderr);
  if (json) {
    stderr.write(`${jsonText(errorJson(error))}\n`);
  } else {
    stderr.write(`${paint('red', 'Error:')} ${messageOf(error)}\n`);
    for (const violation of violationsOf(error)) stderr.write(`${printableLines(violation, '  ')}\n`);
    const fix = fixOf(error);
    if (fix !== undefined) stderr.write(`${paint('cyan', 'Fix:')}   ${printableLines(fix, '       ').trimStart()}\n`);
  }
  if (debug && error instanceof Error) stderr.write(`${paint('dim', printableLines(stackOf(error)))}\n`);
}

/** The message, escaped for a terminal. Continuation lines are indented. */
function messageOf(error: unknown): string {
  const message = printableLines(error instanceof Error ? error.message : String(error), '  ').trimStart();
  if (!(error instanceof CountersignError) || error.status === 0) return message;
  return `${message} (${printable(error.code)}, HTTP ${error.status})`;
}

/** Field violations of the server's response. A policy diagnostic has several lines. */
function violationsOf(error: unknown): string[] {
  if (!(error instanceof CountersignError)) return [];
  return (error.details as ({ fieldViolations?: unknown } | null)[]).flatMap((detail) => {
    const list = Array.isArray(detail?.fieldViolations) ? detail.fieldViolations : [];
    return list.map(({ field, description }) => {
      const text = String(description);
      return text.includes('\n') ? `${field}:\n${text}` : `${field}: ${text}`;
    });
  });
}

function fixOf(error: unknown): string | undefined {
  if (error instanceof CountersignError) {
    return error.code === 'UNREACHABLE'
      ? 'Start the server with "countersign serve", or pass its address with --url or COUNTERSIGN_URL.'
      : undefined;
  }
  if (!(error instanceof Error)) return undefined;
  // An error of a worker process arrives as a plain Error with a fix.
  if ('fix' in error && typeof error.fix === 'string') return error.fix;
  const system = systemErrorOf(error);
  if (system !== undefined) return system.path === undefined ? system.fix : `${system.fix} The file is ${system.path}.`;
  return 'This is a bug in countersign. Run the command with --debug to see the stack.';
}

function errorJson(error: unknown): object {
  if (error instanceof CountersignError) {
    const { status, code, message, details } = error;
    return { status, errorCode: code, message, details };
  }
  return { message: error instanceof Error ? error.message : String(error), fix: fixOf(error) };
}

function stackOf(error: Error): string {
  const stack = error.stack ?? error.message;
  return error.cause instanceof Error ? `${stack}\nCaused by: ${stackOf(error.cause)}` : stack;
}
