/** Runs tasks that share a key one after the other, and tasks of different keys side by side. */
export interface Exclusive {
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
}

export function createExclusive(): Exclusive {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(key, task) {
      const before = tails.get(key) ?? Promise.resolve();
      // The failure of a task belongs to its own caller, not to the next one.
      const mine = before.catch(() => {}).then(task);
      tails.set(key, mine);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === mine) tails.delete(key);
      }
    },
  };
}
