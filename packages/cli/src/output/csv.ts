import { printable } from '../terminal.ts';
import { cellText, toRows } from './cells.ts';

/** Comma-separated values (RFC 4180) with a header line. */
export function csvText(value: unknown): string {
  const { names, rows } = toRows(value);
  const lines = [names.map(printable), ...rows.map((row) => names.map((name) => cellText(row[name])))];
  return lines.map((line) => line.map(csvCell).join(',')).join('\r\n');
}

/**
 * SECURITY: a spreadsheet executes a cell that starts with one of these characters as a formula, and other users choose names. An
 * apostrophe makes it text. Numbers are unchanged.
 */
function csvCell(text: string): string {
  const safe = /^[=+\-@]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
