/** What notifications say. The worker has no other words: it is a script of its own, and stays small. */
export const notices = {
  title: 'Your approval is wanted',
  one: 'A request waits for you.',
  several: (count: number) => `${count} requests wait for you.`,
  more: (count: number) => (count === 1 ? 'One more waits.' : `${count} more wait.`),
  unreadable: 'Something may wait for you.',
} as const;
