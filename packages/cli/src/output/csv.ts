import { printable } from '../terminal.ts';
import { cellText, toRows } from './cells.ts';

/** Comma-separated values (RFC 4180), with a line of names. */
export function csvText(value: unknown): string {
  const { names, rows } = toRows(value);
  const lines = [names.map(printable), ...rows.map((row) => names.map((name) => cellText(row[name])))];
  return lines.map((line) => line.map(csvCell).join(',')).join('\r\n');
}

/**
 * SECURITY: a spreadsheet runs a cell that begins with one of these characters as a formula, and names are chosen by others. An
 * apostrophe makes it text. Numbers stay as they are.
 */
function csvCell(text: string): string {
  const safe = /^[=+\-@]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
