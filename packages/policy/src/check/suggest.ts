/** The candidate nearest to a mistyped word, if one is near enough to suggest. */
function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  // SECURITY: the cost is the product of both lengths, and the caller chooses the word.
  if (word.length > 64) return undefined;
  let best: string | undefined;
  let bestDistance = Math.min(word.length, Math.max(2, Math.floor(word.length / 3)) + 1);
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Help that names the nearest candidate, or all candidates if there are few. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const nearest = nearestWord(word, candidates);
  if (nearest !== undefined) return `did you mean \`${nearest}\`?`;
  return candidates.length > 0 && candidates.length <= 12
    ? `one of ${candidates.map((each) => `\`${each}\``).join(', ')}`
    : undefined;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = (previous[column - 1] as number) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] as number) + 1, (current[column - 1] as number) + 1));
    }
    previous = current;
  }
  return previous[right.length] as number;
}
