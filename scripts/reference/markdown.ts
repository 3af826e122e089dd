/** A table in Markdown. Bars in cells are escaped. A table without rows is an empty text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A page: its title, a note about its source, and its parts. */
export function page(title: string, source: string, parts: readonly string[]): string {
  const note = `<!-- Generated from ${source} by \`npm run docs\`. Change the source, not this page. -->`;
  return `${[`# ${title}`, note, ...parts.filter((part) => part !== '')].join('\n\n')}\n`;
}

export const code = (text: string): string => `\`${text}\``;

export function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** The anchor of a heading. */
export function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
