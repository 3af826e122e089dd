import type { PolicyValue } from '../value.ts';
import type { Symbolic } from './symbolic.ts';
import { integerIn, isTrueIn, type Model } from './symbols.ts';
import type { Term } from './term.ts';

/** A model, and the texts that its numbers represent. */
export interface Decoding {
  readonly model: Model;
  readonly named: readonly string[];
  readonly pieces: readonly Piece[];
  /** Whether a text is an address. If present, addresses get no other text of the question, so that a person can read them. */
  readonly isAddress?: ((text: string) => boolean) | undefined;
}

/** A piece of a text: `text[from..to]`. */
export interface Piece {
  readonly of: Term;
  readonly from: number;
  readonly to: number;
  readonly piece: Term;
}

/** The value in a model. Undefined for values that the encoding does not model. */
export function decodeValue(value: Symbolic, decoding: Decoding): PolicyValue | undefined {
  const { model } = decoding;
  switch (value.kind) {
    case 'bool':
      return isTrueIn(value.term, model);
    case 'int':
      return integerIn(value.term, model);
    case 'text':
      return textOf(value.term, value.address === true, decoding);
    case 'list': {
      const present = value.places.filter((place) => isTrueIn(place.present, model));
      return present.map((place) => decodeValue(place.value, decoding) ?? '');
    }
    case 'record': {
      const fields = [...value.made].filter(([, field]) => isTrueIn(field.present, model));
      return Object.fromEntries(
        fields.flatMap(([name, field]) => {
          const found = decodeValue(field.value, decoding);
          return found === undefined ? [] : [[name, found]];
        }),
      );
    }
    default:
      return undefined;
  }
}

/** The text of a number: a text of the question, or any other. */
export function textOf(term: Term, address: boolean, decoding: Decoding): string {
  const { model, named, pieces, isAddress } = decoding;
  const cut = pieces.filter(({ of }) => of === term);
  if (cut.length > 0) return assembled(cut, decoding);
  const number = Number(integerIn(term, model));
  const known = named[number];
  const isOdd = known !== undefined && known !== '' && address && isAddress?.(known) === false;
  if (known !== undefined && !isOdd) return known;
  const other = isOdd ? 0xffff + number : number - named.length + 1;
  return address ? `0x${((0xdeadn << 144n) | BigInt(other)).toString(16).padStart(40, '0')}` : `other-${other}`;
}

/** Builds a text from its pieces, with zeros between them. */
function assembled(pieces: readonly Piece[], decoding: Decoding): string {
  const length = Math.min(4_096, Math.max(2, ...pieces.map(({ to }) => to)));
  const text = [...'0x'.padEnd(length, '0')];
  for (const { from, to, piece } of pieces) {
    const inside = textOf(piece, false, decoding).padEnd(to - from, '0');
    for (let index = from; index < Math.min(to, length); index += 1) text[index] = inside[index - from] ?? '0';
  }
  return text.join('');
}
