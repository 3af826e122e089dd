import { existsSync, readFileSync } from 'node:fs';

/** The manifest of this package, or that of the command if this file is part of its bundle. */
const manifest = ['../package.json', '../../package.json']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url)) as URL;

/** The version of this package. */
export const VERSION: string = (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
