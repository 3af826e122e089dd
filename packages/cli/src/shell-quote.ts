/** Quotes a word for a POSIX shell. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command line to paste. npx finds the program in a clone and in an installation. */
export function nextCommand(argv: readonly string[]): string {
  return ['npx', 'countersign', ...argv].map(shellQuote).join(' ');
}
