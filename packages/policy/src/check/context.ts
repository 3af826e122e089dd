import type { Diagnostic, DiagnosticCode } from '../diagnostic.ts';
import type { Addition } from '../syntax/parser.ts';
import type { Span } from '../syntax/span.ts';
import type { CheckOptions } from './options.ts';

/** An integer in quotes. */
export interface QuotedInteger {
  readonly span: Span;
  readonly value: bigint;
  /** The other side may be a text or an integer, depending on the request. */
  readonly dynamic?: true;
}

/** The shared context of the checker: the host's options, and the sink of diagnostics. */
export interface CheckContext {
  readonly options: CheckOptions;
  /** Adds a diagnostic. Returns undefined, so that a check can end with `return report(…)`. */
  readonly report: (code: DiagnosticCode, span: Span, message: string, help?: string) => undefined;
  readonly add: (diagnostic: Diagnostic) => undefined;
  readonly noteQuoted: (quoted: QuotedInteger) => void;
  /** Records a part that earlier versions of the language do not have. */
  readonly noteAddition: (addition: Addition) => void;
}
