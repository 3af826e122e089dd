import type { Diagnostic, DiagnosticCode } from '../diagnostic.ts';
import type { Span } from '../syntax/span.ts';
import type { LiteralOptions } from './literals.ts';

/** What the parts of the checker share: the host's options, and where diagnostics go. Reporting gives undefined, for `return report(…)`. */
export interface CheckContext {
  readonly options: LiteralOptions;
  readonly report: (code: DiagnosticCode, span: Span, message: string, help?: string) => undefined;
  readonly add: (diagnostic: Diagnostic) => undefined;
}
