import { CountersignError } from '@countersign/client';
import { OperatorFault } from '@countersign/contract';
import type { Context } from './context.ts';
import { jsonText, paintFor, printable } from './terminal.ts';

/** A fault that the user can fix. */
export class CliFault extends OperatorFault {
  override readonly name = 'CliFault';
}

export interface ReportOptions {
  readonly json: boolean;
  /** Show the stack too. */
  readonly debug: boolean;
}

/** Tells a person on stderr what went wrong and what to do next. With `json`, tells a program. */
export function reportFault(context: Context, error: unknown, { json, debug }: ReportOptions): void {
  const { stderr } = context;
  const paint = paintFor(context, stderr);
  if (json) {
    stderr.write(`${jsonText(faultJson(error))}\n`);
  } else {
    const [message, ...more] = linesOf(error);
    stderr.write(`${paint('red', 'Error:')} ${message}\n`);
    for (const line of more) stderr.write(`  ${line}\n`);
    const fix = fixOf(error);
    if (fix !== undefined) stderr.write(`${paint('cyan', 'Fix:')}   ${fix}\n`);
  }
  if (debug && error instanceof Error) stderr.write(`${paint('dim', stackOf(error))}\n`);
}

function linesOf(error: unknown): string[] {
  if (error instanceof CountersignError) {
    const origin = error.status === 0 ? '' : ` (${error.code}, HTTP ${error.status})`;
    return [printable(error.message) + origin, ...violations(error).map(printable)];
  }
  return [error instanceof Error ? printable(error.message) : String(error)];
}

function violations({ details }: CountersignError): string[] {
  return (details as ({ fieldViolations?: unknown } | null)[]).flatMap((detail) => {
    const list = Array.isArray(detail?.fieldViolations) ? detail.fieldViolations : [];
    return list.map(({ field, description }) => `${field}: ${description}`);
  });
}

function fixOf(error: unknown): string | undefined {
  if (error instanceof CountersignError) {
    return error.code === 'UNREACHABLE'
      ? 'Start the server with "countersign serve", or name its address with --url or COUNTERSIGN_URL.'
      : undefined;
  }
  if (!(error instanceof Error)) return undefined;
  // A fault of a worker process arrives as a plain Error with a fix.
  if ('fix' in error && typeof error.fix === 'string') return error.fix;
  return 'This is a bug in countersign. Run the same command with --debug to see where.';
}

function faultJson(error: unknown): object {
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
