const BEGIN = '<!-- torture: begin -->';
const END = '<!-- torture: end -->';

/** Puts a text in the place of what a page has between the two markers. */
export function putBetweenMarkers(page: string, text: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`the page needs the lines ${BEGIN} and ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${page.slice(end)}`;
}
