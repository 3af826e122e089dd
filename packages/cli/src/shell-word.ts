/** A word, quoted for a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A call of this program that a person can paste. npx finds it both in a clone and when installed. */
export function nextCommand(argv: readonly string[]): string {
  return ['npx', 'countersign', ...argv].map(shellWord).join(' ');
}
