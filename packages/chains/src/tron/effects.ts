import type { PolicyValue } from '@countersign/policy';
import type { Effect } from '../effects/effect.ts';
import { TRX } from './assets.ts';
import { formatTrx } from './format-trx.ts';

/** A field that the schema of its message makes a text: an address, an enum or hex. */
export const text = (value: PolicyValue | undefined) => value as string;

/** A field that the schema of its message makes an integer. */
export const integer = (value: PolicyValue | undefined) => value as bigint;

/** A field in sun as an amount of TRX. */
export const trx = (sun: PolicyValue | undefined) => formatTrx(integer(sun));

/** TRX go from one address to another. */
export function movesTrx(from: PolicyValue | undefined, to: PolicyValue | undefined, sun: PolicyValue | undefined): Effect {
  return { kind: 'TRANSFER', asset: TRX, from: text(from), to: text(to), amount: integer(sun) };
}

/** Something that the owner does with the account alone, in words. */
export function calls(what: string): Effect {
  return { kind: 'CALL', what };
}
