import fc from 'fast-check';

/** A change at some place: bytes set, put in, cut out or repeated. */
interface Edit {
  readonly kind: 'set' | 'insert' | 'cut' | 'repeat';
  readonly at: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('set', 'set', 'insert', 'cut', 'repeat'),
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 40 }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }),
});

/** Valid inputs with up to four changes each, often in the same place twice. */
export function mutated(inputs: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  return fc
    .tuple(fc.constantFrom(...inputs), fc.array(edit, { maxLength: 4 }))
    .map(([input, edits]) => edits.reduce(apply, input));
}

function apply(bytes: Uint8Array, { kind, at, length, bytes: added }: Edit): Uint8Array {
  const start = bytes.length === 0 ? 0 : at % bytes.length;
  const part = bytes.subarray(start, start + length);
  const middle = {
    set: [...added, ...part.subarray(added.length)],
    insert: [...added, ...part],
    cut: [],
    repeat: [...part, ...part],
  }[kind];
  return Uint8Array.from([...bytes.subarray(0, start), ...middle, ...bytes.subarray(start + length)]);
}
