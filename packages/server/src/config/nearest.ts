/** The known name with the smallest edit distance. */
export function nearest(name: string, known: Iterable<string>): string {
  const ranked = [...known].map((candidate) => ({ candidate, edits: distance(name, candidate) }));
  return ranked.reduce((best, next) => (next.edits < best.edits ? next : best)).candidate;
}

/** The names within a third of their length, nearest first. */
export function nearestOf(name: string, known: Iterable<string>): string[] {
  const ranked = [...known].map((candidate) => ({ candidate, edits: distance(name, candidate) }));
  const near = ranked.filter(({ candidate, edits }) => edits <= Math.max(name.length, candidate.length) / 3);
  const fewest = Math.min(...near.map(({ edits }) => edits));
  return near.filter(({ edits }) => edits === fewest).map(({ candidate }) => candidate);
}

/** The edit distance of two texts: insert, delete or replace a letter, or swap two neighbours (optimal string alignment). */
export function distance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    rows[row] = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      (rows[row] as number[])[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(from.length, to.length);
}
