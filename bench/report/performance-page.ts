import { readFileSync, writeFileSync } from 'node:fs';

/** The parts of docs/performance.md that benchmarks write. */
export type Section = 'serving' | 'fairness' | 'growth';

const PAGE = new URL('../../docs/performance.md', import.meta.url);

/** Puts a section, and its picture, in the place of the one before. */
export function writeSection(section: Section, text: string, svg: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${section} -->\n`, `<!-- end of ${section} -->\n`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/performance.md has no section ${section}`);
  writeFileSync(PAGE, `${page.slice(0, from + begin.length)}\n${text.trim()}\n\n${page.slice(to)}`);
  writeFileSync(new URL(`../../docs/images/${section}.svg`, import.meta.url), svg);
}
