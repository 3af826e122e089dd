import { JsonError, type JsonUnit } from './json-error.ts';
import type { JsonLimits } from './limits.ts';
import { exactDouble, exactInteger, type NumberError, numberLiteral, wideNumber } from './number.ts';
import type { ExactJsonObject, ExactJsonValue, Json } from './value.ts';

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

/**
 * Reads one text, all but how numbers and objects are kept: `N` and `O` are the subclass's own.
 * INVARIANT: the text holds no half of a surrogate pair outside of escapes.
 */
abstract class Reader<N, O> {
  protected readonly text: string;
  protected at = 0;
  private readonly unit: JsonUnit;
  protected readonly limits: JsonLimits;
  private values = 0;
  private depth = 0;

  /** `unit` is what offsets of errors count: how the text was given. */
  constructor(text: string, unit: JsonUnit, limits: JsonLimits) {
    this.text = text;
    this.unit = unit;
    this.limits = limits;
  }

  /** Reads the number that starts here. */
  protected abstract number(): N;

  /** Reads the object that starts here: `entersEmpty`, then for each member `startName`, `string`, `colon`, `value` and `goesOn`. */
  protected abstract object(): O;

  whole(): Json<N, O> {
    const value = this.value();
    this.skipSpace();
    if (this.at < this.text.length) this.fail('the text goes on after its value');
    return value;
  }

  protected value(): Json<N, O> {
    if (++this.values > this.limits.values) this.fail(`there are more than ${this.limits.values} values`);
    const code = this.skipSpace();
    if (code === QUOTE) return this.copied(this.boundedString());
    if (code === OPEN_BRACE) return this.object();
    if (code === OPEN_BRACKET) return this.array();
    if (code === 0x74) return this.word('true', true);
    if (code === 0x66) return this.word('false', false);
    if (code === 0x6e) return this.word('null', null);
    return this.number();
  }

  private array(): readonly Json<N, O>[] {
    const array: Json<N, O>[] = [];
    if (this.entersEmpty(CLOSE_BRACKET)) return array;
    const { items = Number.POSITIVE_INFINITY } = this.limits;
    do {
      if (array.length >= items) this.fail(`an array has more than ${items} items`);
      array.push(this.value());
    } while (this.goesOn(CLOSE_BRACKET));
    return array;
  }

  /** Enters an object or array. Leaves it again and returns false if it is empty. */
  protected entersEmpty(close: number): boolean {
    if (++this.depth > this.limits.depth) this.fail(`values are nested deeper than ${this.limits.depth}`);
    this.at++;
    if (this.skipSpace() !== close) return false;
    this.leave();
    return true;
  }

  /** After a value: whether another follows. Steps over the comma, or out of the object or array. */
  protected goesOn(close: number): boolean {
    const code = this.skipSpace();
    if (code === COMMA) {
      this.at++;
      return true;
    }
    if (code !== close) this.fail(`a comma or the end of the ${close === CLOSE_BRACE ? 'object' : 'array'} was expected here`);
    this.leave();
    return false;
  }

  private leave(): void {
    this.depth--;
    this.at++;
  }

  /** Moves to the name of the `count`th member of an object, and returns its offset. */
  protected startName(count: number): number {
    if (this.skipSpace() !== QUOTE) this.fail('a name in double quotes was expected here');
    if (count > this.limits.names) this.fail(`an object has more than ${this.limits.names} names`);
    return this.at;
  }

  protected colon(): void {
    if (this.skipSpace() !== COLON) this.fail('a colon was expected here');
    this.at++;
  }

  private boundedString(): string {
    const start = this.at;
    const string = this.string();
    const { text = Number.POSITIVE_INFINITY } = this.limits;
    if (string.length > text) this.fail(`a text is longer than ${text} characters`, start);
    return string;
  }

  /** Reads the string that starts here. Its letters may still lie in the text: see `copied`. */
  protected string(): string {
    const { text } = this;
    const start = this.at + 1;
    for (let index = start; ; index++) {
      const code = text.charCodeAt(index);
      if (code === QUOTE) {
        this.at = index + 1;
        return text.slice(start, index);
      }
      if (code === BACKSLASH) return this.escapedString(start, index);
      // Past the end the code is NaN, which is not at least 0x20 either.
      if (!(code >= 0x20)) this.failInString(index);
    }
  }

  /** Reads the rest of a string whose first escape is at `firstEscape`. */
  private escapedString(start: number, firstEscape: number): string {
    const { text } = this;
    let decoded = text.slice(start, firstEscape);
    let plainFrom = firstEscape;
    for (let index = firstEscape; ; ) {
      const code = text.charCodeAt(index);
      if (code === QUOTE) {
        this.at = index + 1;
        return decoded + text.slice(plainFrom, index);
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
          // RFC 8259 section 8.2: half a pair has no predictable meaning.
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

  /** Reads the number literal that starts here. */
  protected literal<T extends number | bigint>(toValue: (literal: string) => T | NumberError): T {
    const literal = numberLiteral(this.text, this.at);
    if (typeof literal !== 'string') this.fail(literal.reason);
    const value = toValue(literal);
    if (typeof value === 'object') this.fail(value.reason);
    this.at += literal.length;
    return value;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('a value was expected here');
    this.at += word.length;
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
   * SECURITY: a slice keeps its whole text in memory: a value of twenty letters must not hold on to a body of a megabyte.
   * Joining and cutting again has the engine write the letters anew, at a sixth of the cost of a detour through bytes.
   */
  protected copied(slice: string): string {
    return this.text.length > SHARED_TEXT_LENGTH ? ` ${slice}`.slice(1) : slice;
  }

  private failInString(index: number): never {
    if (index >= this.text.length) this.fail('the text ends within a string', index);
    this.fail('a control character must be written as an escape', index);
  }

  protected fail(reason: string, index: number = this.at): never {
    const offset = this.unit === 'byte' ? new TextEncoder().encode(this.text.slice(0, index)).length : index;
    throw new JsonError(reason, offset, this.unit);
  }
}

interface PlainObject<N> {
  readonly [name: string]: Json<N, PlainObject<N>>;
}

/** Keeps objects as plain objects. */
abstract class ObjectReader<N extends number | bigint> extends Reader<N, PlainObject<N>> {
  protected override object(): PlainObject<N> {
    // SECURITY: nothing can be polluted, because the names that reach a prototype are refused.
    const object: Record<string, Json<N, PlainObject<N>>> = {};
    if (this.entersEmpty(CLOSE_BRACE)) return object;
    let count = 0;
    do {
      const start = this.startName(++count);
      // Not `copied`: the engine stores its own copy of a property key.
      const name = this.string();
      if (isForbiddenName(name)) this.fail('this name is not accepted', start);
      if (Object.hasOwn(object, name)) this.fail('this name is given twice in one object', start);
      this.colon();
      object[name] = this.value();
    } while (this.goesOn(CLOSE_BRACE));
    return object;
  }
}

/** Keeps numbers as doubles, as JSON.parse does. */
export class PlainReader extends ObjectReader<number> {
  #longNumbers = 0;

  protected override number(): number {
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
    const { longNumbers = Number.POSITIVE_INFINITY } = this.limits;
    if (++this.#longNumbers > longNumbers)
      this.fail(`there are more than ${longNumbers} numbers that are not short plain integers; send them as strings`);
    return this.literal(exactDouble);
  }
}

/** Keeps integers that a double cannot hold as bigints, and other numbers as the nearest double. */
export class WideReader extends ObjectReader<number | bigint> {
  protected override number(): number | bigint {
    return this.literal(wideNumber);
  }
}

/** Names that reach an object's prototype in careless code, and names that end early in C. */
function isForbiddenName(name: string): boolean {
  return name === '__proto__' || name === 'prototype' || name === 'constructor' || name.includes('\0');
}

/** Keeps numbers as bigints and objects as Maps. */
export class ExactReader extends Reader<bigint, ExactJsonObject> {
  protected override number(): bigint {
    return this.literal(exactInteger);
  }

  protected override object(): ExactJsonObject {
    const object = new Map<string, ExactJsonValue>();
    if (this.entersEmpty(CLOSE_BRACE)) return object;
    let count = 0;
    do {
      const start = this.startName(++count);
      const name = this.copied(this.string());
      if (object.has(name)) this.fail(`the name ${JSON.stringify(name.slice(0, 80))} is given twice in one object`, start);
      this.colon();
      object.set(name, this.value());
    } while (this.goesOn(CLOSE_BRACE));
    return object;
  }
}
