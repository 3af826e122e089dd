import { exactInteger } from './number.ts';
import { CLOSE_BRACE, Reader } from './reader.ts';
import type { ExactJsonObject, ExactJsonValue } from './value.ts';

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
