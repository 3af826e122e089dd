const DIGIT = 1;
const LETTER = 2;

/** The kind of each ASCII character. A table lookup is fast, which matters because the lexer checks every character. */
const kinds = new Uint8Array(128);
for (let code = 0; code < kinds.length; code += 1) {
  const character = String.fromCharCode(code);
  kinds[code] = /[0-9]/.test(character) ? DIGIT : /[a-zA-Z_]/.test(character) ? LETTER : 0;
}

const kindOf = (character: string | undefined) => (character === undefined ? 0 : (kinds[character.charCodeAt(0)] ?? 0));

export function isDigit(character: string | undefined): boolean {
  return kindOf(character) === DIGIT;
}

/** Whether a name may start with the character. */
export function isWordStart(character: string | undefined): boolean {
  return kindOf(character) === LETTER;
}

/** Whether a name may contain the character. */
export function isWord(character: string | undefined): boolean {
  return kindOf(character) !== 0;
}

/** The end of the name that starts here. */
export function endOfName(text: string, start: number): number {
  let end = start;
  while ((kinds[text.charCodeAt(end)] ?? 0) !== 0) end += 1;
  return end;
}
