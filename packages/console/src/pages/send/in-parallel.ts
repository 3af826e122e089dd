const AT_ONCE = 4;

/** Runs a task for each item, a few at a time, and returns the results in order. Starts no further task after an error. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Array<Result>(items.length);
  const entries = items.entries();
  let hasFailed = false;
  const work = async () => {
    for (const [index, item] of entries) {
      if (hasFailed) return;
      try {
        results[index] = await run(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}
