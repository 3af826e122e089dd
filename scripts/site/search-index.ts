import type { RenderedPage } from './render-markdown.ts';

/** Characters of a section that the search covers. */
const LONGEST = 600;

/** The search index: for each section its address, the title of its page, its own title and its text. */
export function searchIndex(pages: readonly { readonly path: string; readonly page: RenderedPage }[]): string {
  const entries = pages.flatMap(({ path, page }) =>
    page.sections
      // The forms of a call are the same words on every page.
      .filter(({ level, title }) => level <= 3 && !/^(curl|Command line|TypeScript|@turnkey\/http|Call it|Response)$/.test(title))
      .map(({ level, id, title, text }) => [
        level === 1 ? path : `${path}#${id}`,
        page.title,
        level === 1 ? '' : title,
        text.slice(0, LONGEST),
      ]),
  );
  return JSON.stringify(entries);
}
