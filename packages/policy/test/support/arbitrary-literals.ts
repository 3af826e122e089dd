import fc from 'fast-check';

const literal = /'[^']*'|[0-9]+/g;
/** Characters that mean something to the language or to one of its literals. */
const nasty = [...'0123456789abfxABFX_-.:/* ,#"“Zz\\\n'];
const words = [
  '',
  '5',
  '-5',
  '05',
  '0x5',
  '0xA',
  'u-bob',
  'u-dave',
  't-ops',
  'true',
  '1h',
  '8h',
  '90m',
  '#',
  'a#1#',
  "\\'",
  'é',
  '😀',
];

/**
 * Texts that are a text with other literals: of the same length or not, written in another case, swapped with each other, numbers in
 * quotes and at the edge of their range, and what the language refuses.
 */
export function arbitraryVariant(text: string): fc.Arbitrary<string> {
  const found = text.match(literal) ?? [];
  if (found.length === 0) return fc.constant(text);
  const contents = found.map((each) => (each.startsWith("'") ? each.slice(1, -1) : each));
  const exchanged = found.map((each, place) => (each.startsWith("'") ? inQuotes(contents, place) : inDigits(contents, place)));
  return fc.tuple(...exchanged).map((others) => {
    let place = 0;
    return text.replace(literal, () => others[place++] as string);
  });
}

function inQuotes(contents: readonly string[], place: number): fc.Arbitrary<string> {
  const content = contents[place] as string;
  const length = content.length;
  const same = contents.filter((each) => each.length === length);
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.constant(content) },
      { weight: 2, arbitrary: fc.constantFrom(...same) },
      { weight: 2, arbitrary: fc.constantFrom(content.toUpperCase(), content.toLowerCase(), flipped(content)) },
      { weight: 2, arbitrary: digits(length) },
      { weight: 2, arbitrary: hexadecimal(length) },
      { weight: 1, arbitrary: textOf(nasty, length) },
      { weight: 1, arbitrary: fc.constantFrom(...words) },
    )
    .map((each) => `'${each}'`);
}

function inDigits(contents: readonly string[], place: number): fc.Arbitrary<string> {
  const content = contents[place] as string;
  const same = contents.filter((each) => /^[0-9]+$/.test(each));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(content) },
    { weight: 2, arbitrary: fc.constantFrom(...same) },
    { weight: 3, arbitrary: digits(content.length) },
    { weight: 1, arbitrary: fc.constant('9'.repeat(content.length)) },
    { weight: 1, arbitrary: fc.constant('0'.repeat(content.length)) },
    { weight: 1, arbitrary: fc.constantFrom('0', '1', '00', '1_0', '1.5', '0x5', String(2n ** 256n - 1n), String(2n ** 256n)) },
  );
}

const textOf = (characters: readonly string[], length: number) =>
  fc.array(fc.constantFrom(...characters), { minLength: length, maxLength: length }).map((all) => all.join(''));
const digits = (length: number) => textOf([...'0123456789'], length);
const hexadecimal = (length: number) =>
  length < 2 ? digits(length) : textOf([...'0123456789abcdefAB'], length - 2).map((rest) => `0x${rest}`);

/** The text with the case of its last letter changed, as in an address with a wrong checksum. */
function flipped(text: string): string {
  return text.replace(/[a-zA-Z](?=[^a-zA-Z]*$)/, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
