import type { Diagnostic, DiagnosticCode } from '../diagnostic.ts';
import type { Span } from '../syntax/span.ts';
import type { CheckOptions } from './options.ts';

/** What the parts of the checker share: the host's options, and where diagnostics go. */
export interface CheckContext {
  readonly options: CheckOptions;
  /** Adds a diagnostic. Gives undefined, so that a check can end with `return report(…)`. */
  readonly report: (code: DiagnosticCode, span: Span, message: string, help?: string) => undefined;
  readonly add: (diagnostic: Diagnostic) => undefined;
}
