export function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

/** Whether a name may start with the character. */
export function isWordStart(character: string | undefined): boolean {
  if (character === undefined) return false;
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character === '_';
}

/** Whether the character may stand in a name. */
export function isWord(character: string | undefined): boolean {
  return isWordStart(character) || isDigit(character);
}

/** The end of the name that starts here. */
export function endOfName(text: string, start: number): number {
  let end = start;
  while (isWord(text[end])) end += 1;
  return end;
}
