import type { EndSlice } from '../admission/index.ts';
import { WrittenJson } from '../wire/written-json.ts';

/** Where a list ends: before the item that would exceed its characters, but not before its first. */
export interface Bounds {
  readonly items: number;
  readonly characters: number;
}

export interface WrittenItems {
  /** The JSON of each. */
  readonly texts: readonly string[];
  /** Whether an item was left out because of its characters. */
  readonly isCut: boolean;
}

/** About so many characters become bytes at once. */
const PART_CHARACTERS = 65_536;

/**
 * Makes and writes the items of a list. An organization decides how many and how large they are, so it is done in slices.
 * SECURITY: D250: a list of some megabytes takes tens of milliseconds, in which nobody else would be served.
 */
export async function writeItems<S>(
  endSlice: EndSlice,
  all: Iterable<S>,
  { items: most, characters }: Bounds,
): Promise<WrittenItems> {
  const texts: string[] = [];
  let length = 0;
  for (const item of all) {
    const text = JSON.stringify(item);
    length += text.length;
    if (texts.length > 0 && length > characters) return { texts, isCut: true };
    texts.push(text);
    if (texts.length >= most) break;
    const pause = endSlice(text.length);
    if (pause !== undefined) await pause;
  }
  return { texts, isCut: false };
}

/** The list of items that are written, in slices too. */
export async function toList<S>(endSlice: EndSlice, texts: readonly string[]): Promise<WrittenJson<S[]>> {
  const parts: Uint8Array[] = [];
  let part = '[';
  for (const [index, text] of texts.entries()) {
    part += index === 0 ? text : `,${text}`;
    if (part.length < PART_CHARACTERS) continue;
    parts.push(Buffer.from(part));
    part = '';
    const pause = endSlice();
    if (pause !== undefined) await pause;
  }
  return new WrittenJson([...parts, Buffer.from(`${part}]`)]);
}

/** The list of items that somebody has bounded before. */
export async function writeAll<S>(endSlice: EndSlice, all: Iterable<S>): Promise<WrittenJson<S[]>> {
  const unbounded = { items: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };
  return toList(endSlice, (await writeItems(endSlice, all, unbounded)).texts);
}
