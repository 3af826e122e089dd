import { isAscii, isUtf8 } from 'node:buffer';
import { readJsonNumber } from './json-number.ts';

/** A value of RFC 8259. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** An object as it was sent: plain data without any of the names that reach a prototype. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** Bounds on one text. The size in bytes is bounded where the bytes are read. */
export interface JsonLimits {
  /** Objects and arrays within each other. */
  readonly depth: number;
  /** Values of all kinds in the whole text. */
  readonly values: number;
  /** Names in one object. */
  readonly names: number;
}

/** Far more than any request needs. */
export const defaultJsonLimits: JsonLimits = Object.freeze({ depth: 32, values: 100_000, names: 1_000 });

/** A text that is not taken. The message says why in plain words, without quoting the text; `offset` is in bytes. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(`${reason} (at byte ${offset})`);
    this.offset = offset;
  }
}

/**
 * Reads one JSON text (RFC 8259), and refuses with a `JsonFault` whatever two readers could understand differently: bytes that are
 * not UTF-8, a byte order mark, a name given twice (however it is escaped), names that reach an object's prototype, half of a
 * surrogate pair, numbers that cannot be kept exactly, anything after the value, and more than the limits.
 * What it takes has the value that JSON.parse gives.
 */
export function readStrictJson(bytes: Uint8Array, limits: JsonLimits = defaultJsonLimits): JsonValue {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isAscii(buffer)) return new Reader(buffer.toString('latin1'), limits).whole();
  if (!isUtf8(buffer)) throw new JsonFault('the text is not valid UTF-8', 0);
  if (buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf)
    throw new JsonFault('the text begins with a byte order mark', 0);
  return new Reader(buffer.toString(), limits).whole();
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const UNICODE_ESCAPE = /\\u([0-9a-fA-F]{4})/y;

/** Texts up to this length may stay in memory as long as one of their strings does; from longer ones strings are copied out. */
const SHARED_TEXT_LENGTH = 4_096;

class Reader {
  private readonly text: string;
  private readonly limits: JsonLimits;
  private at = 0;
  private values = 0;
  private depth = 0;

  constructor(text: string, limits: JsonLimits) {
    this.text = text;
    this.limits = limits;
  }

  whole(): JsonValue {
    const value = this.value();
    this.skipSpace();
    if (this.at < this.text.length) this.fail('the text goes on after its value');
    return value;
  }

  private value(): JsonValue {
    if (++this.values > this.limits.values) this.fail(`there are more than ${this.limits.values} values`);
    const code = this.skipSpace();
    if (code === QUOTE) return this.string();
    if (code === OPEN_BRACE) return this.object();
    if (code === OPEN_BRACKET) return this.array();
    if (code === 0x74) return this.word('true', true);
    if (code === 0x66) return this.word('false', false);
    if (code === 0x6e) return this.word('null', null);
    return this.number();
  }

  private object(): JsonObject {
    this.enter();
    // SECURITY: a plain object, as JSON.parse gives. Nothing can be polluted: the names that reach a prototype are refused.
    const object: Record<string, JsonValue> = {};
    if (this.skipSpace() === CLOSE_BRACE) return this.leave(object);
    for (let count = 1; ; count++) {
      if (this.skipSpace() !== QUOTE) this.fail('a name in double quotes was expected here');
      const start = this.at;
      const name = this.string();
      if (count > this.limits.names) this.fail(`an object has more than ${this.limits.names} names`, start);
      if (isForbiddenName(name)) this.fail('this name is not accepted', start);
      if (Object.hasOwn(object, name)) this.fail('this name is given twice in one object', start);
      if (this.skipSpace() !== COLON) this.fail('a colon was expected here');
      this.at++;
      object[name] = this.value();
      const code = this.skipSpace();
      if (code === CLOSE_BRACE) return this.leave(object);
      if (code !== COMMA) this.fail('a comma or the end of the object was expected here');
      this.at++;
    }
  }

  private array(): readonly JsonValue[] {
    this.enter();
    const array: JsonValue[] = [];
    if (this.skipSpace() === CLOSE_BRACKET) return this.leave(array);
    for (;;) {
      array.push(this.value());
      const code = this.skipSpace();
      if (code === CLOSE_BRACKET) return this.leave(array);
      if (code !== COMMA) this.fail('a comma or the end of the array was expected here');
      this.at++;
    }
  }

  private string(): string {
    const { text } = this;
    const start = this.at + 1;
    for (let index = start; ; index++) {
      const code = text.charCodeAt(index);
      if (code === QUOTE) {
        this.at = index + 1;
        return this.copy(text.slice(start, index));
      }
      if (code === BACKSLASH) return this.escapedString(start, index);
      // Past the end the code is NaN, which is not at least 0x20 either.
      if (!(code >= 0x20)) this.failInString(index);
    }
  }

  /** Goes on with a string in which the first escape stands at `firstEscape`. */
  private escapedString(start: number, firstEscape: number): string {
    const { text } = this;
    let decoded = text.slice(start, firstEscape);
    let plainFrom = firstEscape;
    for (let index = firstEscape; ; ) {
      const code = text.charCodeAt(index);
      if (code === QUOTE) {
        this.at = index + 1;
        return this.copy(decoded + text.slice(plainFrom, index));
      }
      if (!(code >= 0x20)) this.failInString(index);
      if (code !== BACKSLASH) {
        index++;
        continue;
      }
      decoded += text.slice(plainFrom, index);
      const simple = ESCAPES[text.charAt(index + 1)];
      if (simple !== undefined) {
        decoded += simple;
        index += 2;
      } else {
        const unit = this.unicodeEscape(index);
        index += 6;
        if (unit < 0xd800 || unit > 0xdfff) {
          decoded += String.fromCharCode(unit);
        } else {
          // RFC 8259 section 8.2: half a pair has no predictable meaning. A text that is valid UTF-8 has none outside of escapes.
          const low = unit < 0xdc00 && text.charCodeAt(index) === BACKSLASH ? this.unicodeEscape(index) : 0;
          if (low < 0xdc00 || low > 0xdfff) this.fail('this escape is half of a surrogate pair', index - 6);
          decoded += String.fromCharCode(unit, low);
          index += 6;
        }
      }
      plainFrom = index;
    }
  }

  private unicodeEscape(index: number): number {
    UNICODE_ESCAPE.lastIndex = index;
    const digits = UNICODE_ESCAPE.exec(this.text)?.[1];
    if (digits === undefined) this.fail('this escape is not one that JSON knows', index);
    return Number.parseInt(digits, 16);
  }

  private number(): number {
    // Up to 15 digits are exact; everything else about numbers is rare and slow.
    const { text } = this;
    let value = 0;
    let index = this.at;
    for (; index < this.at + 15; index++) {
      const digit = text.charCodeAt(index) - 0x30;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
    }
    const length = index - this.at;
    const next = text.charCodeAt(index);
    const isPlain = next === COMMA || next === CLOSE_BRACE || next === CLOSE_BRACKET;
    if (length > 0 && isPlain && (length === 1 || text.charCodeAt(this.at) !== 0x30)) {
      this.at = index;
      return value;
    }
    const read = readJsonNumber(text, this.at);
    if ('fault' in read) this.fail(this.at < text.length ? read.fault : 'the text ends too early');
    this.at = read.end;
    return read.value;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('a value was expected here');
    this.at += word.length;
    return value;
  }

  private enter(): void {
    if (++this.depth > this.limits.depth) this.fail(`values are nested deeper than ${this.limits.depth}`);
    this.at++;
  }

  private leave<T>(value: T): T {
    this.depth--;
    this.at++;
    return value;
  }

  /** Moves to the next character that is not white space and gives its code: NaN at the end. */
  private skipSpace(): number {
    const { text } = this;
    for (let index = this.at; ; index++) {
      const code = text.charCodeAt(index);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) {
        this.at = index;
        return code;
      }
    }
  }

  /**
   * SECURITY: a slice keeps its whole text in memory: a name of twenty letters must not hold on to a body of a megabyte.
   * Joining and cutting again has the engine write the letters anew, at a sixth of the cost of a detour through bytes.
   */
  private copy(slice: string): string {
    return this.text.length > SHARED_TEXT_LENGTH ? ` ${slice}`.slice(1) : slice;
  }

  private failInString(index: number): never {
    if (index >= this.text.length) this.fail('the text ends within a string', index);
    this.fail('a control character must be written as an escape', index);
  }

  private fail(reason: string, index: number = this.at): never {
    throw new JsonFault(reason, Buffer.byteLength(this.text.slice(0, index)));
  }
}

/** Names that reach an object's prototype in careless code, and names that end early in C. */
function isForbiddenName(name: string): boolean {
  return name === '__proto__' || name === 'prototype' || name === 'constructor' || name.includes('\0');
}
