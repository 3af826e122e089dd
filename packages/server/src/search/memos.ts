import type { EffectShape } from '@countersign/contract';

const LEAD = 'memo ';
/** Escapes of `quoteText`: those of JSON, and characters that people do not see. */
const ESCAPE = /\\(?:u\{[0-9a-f]+\}|.)/gu;

/** The memos among effects, as text. Bytes that are no text are left out. */
export function memosOf(effects: readonly EffectShape[]): readonly string[] {
  return effects.flatMap(({ kind, what }) =>
    kind === 'CALL' && what?.startsWith(`${LEAD}"`) ? [unquote(what.slice(LEAD.length))] : [],
  );
}

/** Characters that people do not see separate words. */
function unquote(quoted: string): string {
  const json = quoted.replace(ESCAPE, (escaped) => (escaped.startsWith('\\u{') ? ' ' : escaped));
  try {
    return String(JSON.parse(json));
  } catch {
    // Stored by a release that quoted otherwise. The words in it are still found.
    return quoted;
  }
}
