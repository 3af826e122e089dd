import { readFileSync, writeFileSync } from 'node:fs';

/** The parts of docs/performance.md that benchmarks write. */
export type Section = 'serving' | 'costs' | 'fairness' | 'growth';

/** What a section says, and its figures. */
export interface SectionText {
  /** Its heading, how it is measured, and what it says on every machine. */
  readonly about: string;
  readonly figures: string;
  /** Alternative text of the picture; undefined without a picture. */
  readonly picture?: string;
}

const PAGE = new URL('../../docs/performance.md', import.meta.url);

/** Replaces a section and its picture. Each kind of processor has its own figures, so a run replaces only the figures of this kind. */
export function writeSection(section: Section, text: SectionText, svg?: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [before, inside, after] = split(page, section) ?? fail(section);
  const image = `images/${section}-${process.arch}.svg`;
  const picture = text.picture === undefined ? '' : `![${text.picture}](${image})\n\n`;
  const figures = `### On ${process.arch}\n\n${picture}${text.figures.trim()}`;
  const kinds = new Map(
    [...inside.matchAll(/<!-- on (\S+) -->\n([\s\S]*?)<!-- end of \1 -->\n/g)].map(([, kind, own]) => [kind, own]),
  );
  kinds.set(process.arch, `\n${figures}\n\n`);
  const parts = [...kinds].sort(([a = ''], [b = '']) => a.localeCompare(b));
  const all = parts.map(([kind, own]) => `<!-- on ${kind} -->\n${own}<!-- end of ${kind} -->\n`);
  writeFileSync(PAGE, `${before}\n${text.about.trim()}\n\n${all.join('\n')}\n${after}`);
  if (svg !== undefined) writeFileSync(new URL(`../../docs/${image}`, import.meta.url), svg);
}

/** What comes before the text of a section, the text, and what comes after it. */
function split(page: string, section: Section): readonly [string, string, string] | undefined {
  const [begin, end] = [`<!-- ${section} -->\n`, `<!-- end of ${section} -->\n`];
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  return page.includes(begin) && to >= from ? [page.slice(0, from), page.slice(from, to), page.slice(to)] : undefined;
}

function fail(section: Section): never {
  throw new Error(`docs/performance.md has no section ${section}`);
}
