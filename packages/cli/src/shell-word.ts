/** A word as a POSIX shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A call of this program that a person can paste; npx finds it in a clone as well as when it is installed. */
export function nextCommand(argv: readonly string[]): string {
  return ['npx', 'countersign', ...argv].map(shellWord).join(' ');
}
