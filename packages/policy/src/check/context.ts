import type { Diagnostic, DiagnosticCode } from '../diagnostic.ts';
import type { Span } from '../syntax/span.ts';
import type { CheckOptions } from './options.ts';

/** An integer that is written as a text. */
export interface QuotedInteger {
  readonly span: Span;
  readonly value: bigint;
  /** The other side may be a text or an integer: only a request tells. */
  readonly dynamic?: true;
}

/** What the parts of the checker share: the host's options, and where diagnostics go. */
export interface CheckContext {
  readonly options: CheckOptions;
  /** Adds a diagnostic. Gives undefined, so that a check can end with `return report(…)`. */
  readonly report: (code: DiagnosticCode, span: Span, message: string, help?: string) => undefined;
  readonly add: (diagnostic: Diagnostic) => undefined;
  readonly noteQuoted: (quoted: QuotedInteger) => void;
}
