/** A row of a file, and the line on which it begins. */
export interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Why a file cannot be read. */
export type FileProblem = 'size' | 'quote' | 'empty' | 'rows';

export const MOST_ROWS = 100;
export const MOST_CHARACTERS = 65_536;

const lineEnd = /\r\n|\r|\n/;
/** The first line with which spreadsheets state the separator. */
const statedSeparator = /^sep=([^"\r\n])(?:\r\n|\r|\n)/i;

/**
 * The rows of a CSV file (RFC 4180): fields in quotes may contain separators, quotes written twice, and line breaks. Lines may end with a
 * carriage return alone.
 */
export function readCsv(text: string): readonly Row[] | FileProblem {
  if (text.length > MOST_CHARACTERS) return 'size';
  const source = text.replace(/^\uFEFF/, '');
  const [stated = '', separator = separatorOf(source)] = statedSeparator.exec(source) ?? [];
  const rows: Row[] = [];
  let line = stated === '' ? 1 : 2;
  for (let at = stated.length; at < source.length; ) {
    const row = readRow(source, at, separator);
    if (row === undefined) return 'quote';
    if (row.cells.some((cell) => cell !== '')) rows.push({ line, cells: row.cells });
    line += source.slice(at, row.end).split(lineEnd).length - 1;
    at = row.end;
  }
  if (rows.length > MOST_ROWS + 1) return 'rows';
  return rows.length === 0 ? 'empty' : rows;
}

/** The separator of the first line. Spreadsheets of some languages write semicolons. */
function separatorOf(source: string): string {
  const [first = ''] = source.split(lineEnd, 1);
  return [';', '\t'].find((each) => first.includes(each) && !first.includes(',')) ?? ',';
}

/** One row from a place on, and where the next one begins. Undefined if a quote is not closed, or is followed by other text. */
function readRow(source: string, from: number, separator: string): { cells: string[]; end: number } | undefined {
  const cells: string[] = [];
  for (let at = from; ; at += 1) {
    const quoted = /"((?:[^"]|"")*)"/y;
    quoted.lastIndex = at;
    const found = quoted.exec(source);
    const end = found === null ? endOfPlain(source, at, separator) : quoted.lastIndex;
    if (end === undefined) return undefined;
    cells.push((found === null ? source.slice(at, end) : (found[1] ?? '').replaceAll('""', '"')).trim());
    at = end;
    if (at >= source.length) return { cells, end: at };
    if (source.startsWith('\r\n', at)) return { cells, end: at + 2 };
    if (source[at] === '\n' || source[at] === '\r') return { cells, end: at + 1 };
    if (source[at] !== separator) return undefined;
  }
}

/** Where a field without quotes ends. Undefined if it contains a quote. */
function endOfPlain(source: string, from: number, separator: string): number | undefined {
  for (let at = from; ; at += 1) {
    const character = source[at];
    if (character === '"') return undefined;
    if (character === undefined || character === separator || character === '\n' || character === '\r') return at;
  }
}
