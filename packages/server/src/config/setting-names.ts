/** `dataDir` → `data-dir`. */
export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `dataDir` → `COUNTERSIGN_DATA_DIR`. */
export function environmentName(name: string): string {
  return `COUNTERSIGN_${flagName(name).replaceAll('-', '_').toUpperCase()}`;
}
