const prefix = '\u0001nul:';

/**
 * Encodes text with NUL. `node:sqlite` cuts such text: some versions when it is stored or looked up, others when it is read.
 * Other text is stored unchanged, as in the files of earlier releases.
 */
export function toStored(text: string): string {
  if (!text.includes('\0') && !text.startsWith(prefix)) return text;
  return prefix + text.replaceAll('%', '%25').replaceAll('\0', '%00');
}

/** Reverses `toStored`. */
export function fromStored(stored: string): string {
  if (!stored.startsWith(prefix)) return stored;
  return stored.slice(prefix.length).replaceAll('%00', '\0').replaceAll('%25', '%');
}
