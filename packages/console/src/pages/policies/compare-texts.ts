/** A part of a text: in both versions, only in the earlier one or only in the later one. */
export interface TextPart {
  readonly text: string;
  readonly in: 'both' | 'before' | 'after';
}

/** Longer texts are compared as a whole. */
const MAX_TOKENS = 1_500;

const tokensOf = (text: string) => text.match(/\s+|[\w.']+|[^\s\w.']+/g) ?? [];

/** The differences between two texts, by their longest common sequence of words. */
export function compareTexts(before: string, after: string): readonly TextPart[] {
  const a = tokensOf(before);
  const b = tokensOf(after);
  if (a.length > MAX_TOKENS || b.length > MAX_TOKENS) return joined([part(before, 'before'), part(after, 'after')]);
  const common = lengthsOf(a, b);
  const at = (i: number, j: number) => common[i * (b.length + 1) + j] ?? 0;
  const parts: TextPart[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      parts.push(part(a[i++] ?? '', 'both'));
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) parts.push(part(a[i++] ?? '', 'before'));
    else parts.push(part(b[j++] ?? '', 'after'));
  }
  return joined(parts);
}

const part = (text: string, place: TextPart['in']): TextPart => ({ text, in: place });

/** Lengths of the longest common sequences of all ends of two lists. */
function lengthsOf(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  return lengths;
}

function joined(parts: readonly TextPart[]): readonly TextPart[] {
  const found: TextPart[] = [];
  for (const each of parts) {
    const last = found.at(-1);
    if (last?.in === each.in) found[found.length - 1] = part(last.text + each.text, each.in);
    else if (each.text !== '') found.push(each);
  }
  return found;
}
