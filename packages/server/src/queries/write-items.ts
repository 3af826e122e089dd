import type { EndSlice } from '../admission/index.ts';
import { WrittenJson } from '../wire/written-json.ts';

/** Limits of a list. It ends before the item that would exceed `characters`, but always includes its first item. */
export interface Bounds {
  readonly items: number;
  readonly characters: number;
}

export interface WrittenItems {
  /** The JSON of each item. */
  readonly texts: readonly string[];
  /** Whether an item was omitted because of the character limit. */
  readonly isCut: boolean;
}

/** Approximate number of characters per conversion to bytes. */
const PART_CHARACTERS = 65_536;

/**
 * Renders and writes the items of a list in time slices, because an organization controls their number and size.
 * SECURITY: D250: a list of some megabytes takes tens of milliseconds and would block all other requests.
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

/** Joins written items into a list, also in time slices. */
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

/** Writes a list that the caller has already limited. */
export async function writeAll<S>(endSlice: EndSlice, all: Iterable<S>): Promise<WrittenJson<S[]>> {
  const unbounded = { items: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };
  return toList(endSlice, (await writeItems(endSlice, all, unbounded)).texts);
}
