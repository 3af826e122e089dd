/** Tokens that mails use. */
const colours = ['paper', 'surface', 'sunken', 'line', 'ink', 'quiet', 'accent', 'on-accent'];

/** The value of a token in the style sheet of the look. Throws if it has none. */
export function tokenIn(css: string, name: string): string {
  const value = new RegExp(`^ *--${name}: (.*);$`, 'm').exec(css)?.[1];
  if (value === undefined) throw new Error(`tokens.css has no --${name}`);
  return value;
}

/** The two values of a colour: light and dark. */
export function pairIn(css: string, name: string): readonly [light: string, dark: string] {
  const [, light, dark] = /^light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)$/.exec(tokenIn(css, name)) ?? [];
  if (light === undefined || dark === undefined) throw new Error(`--${name} is no pair of colours`);
  return [light, dark];
}

const camelCase = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** The source of the colours of mails: mail clients know no variables. */
export function mailPalette(css: string): string {
  const palette = (mode: 0 | 1) => colours.map((name) => `  ${camelCase(name)}: '${pairIn(css, name)[mode]}',`).join('\n');
  const system = tokenIn(css, 'system').replaceAll('"', "'");
  return `// Written by scripts/generate-look.ts from packages/console/src/look/tokens.css.

export const light = {
${palette(0)}
} as const;

export const dark = {
${palette(1)}
} as const;

/** Mails load no font. */
export const system = "${system}";

export const radius = { field: '${tokenIn(css, 'radius-field')}', card: '${tokenIn(css, 'radius-card')}' } as const;
`;
}
