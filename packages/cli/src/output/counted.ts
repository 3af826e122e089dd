/** A number with its noun: `1 leaf`, `2,000 leaves`. */
export function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
