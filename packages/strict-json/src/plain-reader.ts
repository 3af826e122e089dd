import { exactDouble } from './number.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, Reader } from './reader.ts';
import type { JsonObject, JsonValue } from './value.ts';

/** Keeps numbers as doubles and objects as plain objects, as JSON.parse does. */
export class PlainReader extends Reader<number, JsonObject> {
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

  protected override object(): JsonObject {
    // SECURITY: nothing can be polluted, because the names that reach a prototype are refused.
    const object: Record<string, JsonValue> = {};
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

/** Names that reach an object's prototype in careless code, and names that end early in C. */
function isForbiddenName(name: string): boolean {
  return name === '__proto__' || name === 'prototype' || name === 'constructor' || name.includes('\0');
}
