// Written by scripts/generate-look.ts from packages/console/src/look/tokens.css.

export const light = {
  paper: '#f6f5f1',
  surface: '#ffffff',
  sunken: '#eeece5',
  line: '#dfdcd2',
  ink: '#1b1d1b',
  quiet: '#5b5e58',
  accent: '#0d5a54',
  onAccent: '#ffffff',
} as const;

export const dark = {
  paper: '#111312',
  surface: '#191c1b',
  sunken: '#0c0e0d',
  line: '#2c312f',
  ink: '#eceee9',
  quiet: '#a4aaa3',
  accent: '#86d8ca',
  onAccent: '#05211e',
} as const;

/** Mails load no font. */
export const system = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

export const radius = { field: '8px', card: '12px' } as const;
