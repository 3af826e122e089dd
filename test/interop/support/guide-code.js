import { readFile } from 'node:fs/promises';

const guide = new URL('../../../docs/guide/from-turnkey.md', import.meta.url);

/** The blocks of code in the guide that are for programs with the published packages. */
export async function guideCode() {
  const found = (await readFile(guide, 'utf8')).matchAll(/^```js published\n(.*?)^```$/gms);
  return [...found].map(([, code]) => code);
}

/** Runs a block as it is written, with these names around it. Returns what it declares under `gives`. */
export function runCode(code, names, gives) {
  const AsyncFunction = (async () => {}).constructor;
  return new AsyncFunction(...Object.keys(names), `${code}\nreturn ${gives};`)(...Object.values(names));
}
