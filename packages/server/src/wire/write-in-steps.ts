import type { Steps } from '@countersign/collections';
import { WrittenJson } from './written-json.ts';

/** Above either limit, writing a response takes longer than one time slice. */
const LONG = { characters: 65_536, values: 2_000 };
/** Approximate number of characters per step, and per conversion to bytes. */
const STEP_CHARACTERS = 65_536;
/** Number of short list items to serialize together. One by one, each item takes many times as long. */
const RUN = 100;

/** Whether plain data is large enough to write in steps, or contains written parts. Stops as soon as the answer is known. */
export function isLong(value: unknown): boolean {
  let { characters, values } = LONG;
  const exceeds = (part: unknown): boolean => {
    if (typeof part === 'string') characters -= part.length;
    values -= 1;
    if (characters < 0 || values < 0) return true;
    if (typeof part !== 'object' || part === null) return false;
    return part instanceof WrittenJson || (Array.isArray(part) ? part : Object.values(part)).some(exceeds);
  };
  return exceeds(value);
}

/** Writes plain data as JSON, byte for byte like JSON.stringify. Parts of the data may be written already. */
export function* writeInSteps<T>(value: T): Steps<WrittenJson<T>> {
  const parts: Uint8Array[] = [];
  let text = '';

  function flush(): void {
    if (text !== '') parts.push(Buffer.from(text));
    text = '';
  }

  function* add(more: string): Steps<void> {
    text += more;
    if (text.length < STEP_CHARACTERS) return;
    flush();
    yield;
  }

  function* write(part: unknown): Steps<void> {
    if (part instanceof WrittenJson) {
      flush();
      parts.push(...part.parts);
    } else if (!isLong(part)) yield* add(JSON.stringify(part) ?? 'null');
    else if (typeof part === 'string') yield* writeText(part);
    else if (Array.isArray(part)) yield* writeList(part);
    else yield* writeMembers(part as object);
  }

  /** Splits between characters: JSON.stringify would escape half of a surrogate pair. */
  function* writeText(long: string): Steps<void> {
    yield* add('"');
    for (let from = 0; from < long.length; ) {
      const end = from + STEP_CHARACTERS;
      const to = isPair(long, end - 1) ? end + 1 : end;
      yield* add(JSON.stringify(long.slice(from, to)).slice(1, -1));
      from = to;
    }
    yield* add('"');
  }

  function* writeList(list: readonly unknown[]): Steps<void> {
    text += '[';
    for (let from = 0; from < list.length; from += RUN) {
      const run = list.slice(from, from + RUN);
      if (from > 0) text += ',';
      if (isLong(run)) yield* writeItems(run);
      else yield* add(JSON.stringify(run).slice(1, -1));
    }
    yield* add(']');
  }

  function* writeItems(items: readonly unknown[]): Steps<void> {
    for (const [index, item] of items.entries()) {
      if (index > 0) text += ',';
      yield* write(item);
    }
  }

  function* writeMembers(object: object): Steps<void> {
    let open = '{';
    for (const [name, member] of Object.entries(object)) {
      if (member === undefined) continue;
      text += `${open}${JSON.stringify(name)}:`;
      open = ',';
      yield* write(member);
    }
    yield* add(open === '{' ? '{}' : '}');
  }

  yield* write(value);
  flush();
  return new WrittenJson(parts);
}

/** Whether the character at this index takes two UTF-16 code units. */
const isPair = (text: string, at: number) => (text.codePointAt(at) ?? 0) > 0xffff;
