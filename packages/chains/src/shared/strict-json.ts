/** What strict JSON text holds: integers are exact, and objects are Maps, so that no key can touch a prototype. */
export type JsonValue = null | boolean | bigint | string | readonly JsonValue[] | JsonObject;

export type JsonObject = ReadonlyMap<string, JsonValue>;

/** How a reader refuses: its own limits and its own kind of error. */
interface JsonLimits {
  readonly maxLength: number;
  refuse(message: string): Error;
}

const maxDepth = 64;

/**
 * Reads JSON text that has exactly one meaning. Beyond RFC 8259 it refuses duplicate keys, numbers that are not integers or
 * lie outside of ±(2^53 - 1), lone surrogates, and nesting deeper than 64.
 * JSON.parse would keep the last of two equal keys and round large numbers: a person and the signature could then see two values.
 */
export function parseStrictJson(text: string, limits: JsonLimits): JsonValue {
  if (text.length > limits.maxLength) throw limits.refuse(`the JSON text is longer than ${limits.maxLength} characters`);
  return new Reader(text, limits).document();
}

const whitespace = /[ \t\n\r]*/y;
const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const stringToken = /"(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y;
const literals = [['true', true] as const, ['false', false] as const, ['null', null] as const];

class Reader {
  readonly #text: string;
  readonly #refuse: (message: string) => Error;
  #position = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#refuse = (message) => limits.refuse(`${message} (at character ${this.#position})`);
  }

  document(): JsonValue {
    const value = this.#value(0);
    this.#match(whitespace);
    if (this.#position < this.#text.length) throw this.#refuse('there is text after the end of the JSON value');
    return value;
  }

  #value(depth: number): JsonValue {
    if (depth > maxDepth) throw this.#refuse(`the JSON text is nested more than ${maxDepth} deep`);
    this.#match(whitespace);
    if (this.#take('{')) return this.#object(depth);
    if (this.#take('[')) return this.#array(depth);
    if (this.#text[this.#position] === '"') return this.#string();
    for (const [word, value] of literals) if (this.#take(word)) return value;
    return this.#integer();
  }

  #object(depth: number): JsonObject {
    const members = new Map<string, JsonValue>();
    this.#match(whitespace);
    if (this.#take('}')) return members;
    do {
      this.#match(whitespace);
      const key = this.#string();
      if (members.has(key)) throw this.#refuse(`the key ${JSON.stringify(key)} is given twice in one object`);
      this.#match(whitespace);
      this.#expect(':');
      members.set(key, this.#value(depth + 1));
      this.#match(whitespace);
    } while (this.#take(','));
    this.#expect('}');
    return members;
  }

  #array(depth: number): readonly JsonValue[] {
    const items: JsonValue[] = [];
    this.#match(whitespace);
    if (this.#take(']')) return items;
    do {
      items.push(this.#value(depth + 1));
      this.#match(whitespace);
    } while (this.#take(','));
    this.#expect(']');
    return items;
  }

  #string(): string {
    const token = this.#match(stringToken);
    if (token === undefined || hasControlCharacter(token)) throw this.#refuse('a JSON string is expected here');
    const value: string = JSON.parse(token);
    // \p{Surrogate} with the u flag matches only unpaired ones, which have no UTF-8 form to hash.
    if (/\p{Surrogate}/u.test(value)) throw this.#refuse('a string holds half of a surrogate pair');
    return value;
  }

  #integer(): bigint {
    const token = this.#match(numberToken);
    if (token === undefined) throw this.#refuse('the text is not valid JSON');
    if (!/^-?[0-9]+$/.test(token)) throw this.#refuse('a number is not a plain integer');
    // Number() is used only to compare: whatever it rounds is far outside of the range that is accepted.
    if (!Number.isSafeInteger(Number(token))) {
      throw this.#refuse('a number is beyond 2^53 - 1, where programs round it: write it as a string');
    }
    return BigInt(token);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const token = pattern.exec(this.#text)?.[0];
    this.#position += token?.length ?? 0;
    return token;
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#position)) return false;
    this.#position += word.length;
    return true;
  }

  #expect(word: string): void {
    if (!this.#take(word)) throw this.#refuse(`${JSON.stringify(word)} is expected here`);
  }
}

function hasControlCharacter(token: string): boolean {
  // RFC 8259: control characters must be escaped. A loop, because a regular expression over them reads as a mistake.
  for (let index = 0; index < token.length; index++) if (token.charCodeAt(index) < 0x20) return true;
  return false;
}
