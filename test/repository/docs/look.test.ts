import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mailPalette, pairIn } from '../../../scripts/look/mail-palette.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const tokens = read('packages/console/src/look/tokens.css');

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

describe('the look', () => {
  test.each([
    ...['paper', 'surface', 'sunken', 'raised', 'accent-soft'].map((ground) => ['ink', ground]),
    ...['paper', 'surface', 'sunken', 'raised'].map((ground) => ['quiet', ground]),
    ...['paper', 'surface', 'sunken', 'accent-soft'].map((ground) => ['accent', ground]),
    ...['good', 'wait', 'bad'].flatMap((tone) => [
      [tone, 'surface'],
      [tone, `${tone}-soft`],
    ]),
    ['on-accent', 'accent'],
    ['on-bad', 'bad-solid'],
  ] as [string, string][])('%s is readable on %s, light and dark', (text, ground) => {
    for (const mode of [0, 1] as const)
      expect(contrast(pairIn(tokens, text)[mode], pairIn(tokens, ground)[mode])).toBeGreaterThanOrEqual(4.5);
  });

  test('mails have its values', () => {
    expect(read('packages/server/src/notify/mail/palette.ts')).toBe(mailPalette(tokens));
  });

  test('no other style sheet defines colours', () => {
    for (const path of ['packages/console/src/styles.css', 'scripts/site/assets/site.css', 'packages/verify/page/page.css'])
      expect(read(path)).not.toMatch(/#[0-9a-f]{3,8}\b(?=[^{}]*;)/i);
  });

  test('every file of the font is loaded for characters of its own, and has its license', () => {
    const folder = 'packages/console/src/look/fonts';
    const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.woff2'));
    const [latin, more] = ['font-latin.css', 'font-more.css'].map((name) => read(`packages/console/src/look/${name}`)) as [
      string,
      string,
    ];
    const used = [...more.matchAll(/url\("\.\/fonts\/([^"]*)"\)[^}]*unicode-range:\s+U\+/g)].map(([, name]) => name);
    expect(latin).toContain('url("./fonts/inter-latin.woff2")');
    expect([...used, 'inter-latin.woff2'].toSorted()).toEqual(files.toSorted());
    expect(new Set(more.match(/unicode-range:[^;]*/g)).size).toBe(used.length);
    for (const name of files) expect(statSync(join(root, folder, name)).size).toBeLessThan(90_000);
    expect(read(`${folder}/LICENSE`)).toContain('SIL Open Font License, Version 1.1');
  });
});
