/** Texts of push notifications. Separate from the other texts so that the service worker stays small. */
export const notices = {
  title: 'Your approval is needed',
  one: 'A request needs your approval.',
  several: (count: number) => `${count} requests need your approval.`,
  more: (count: number) => (count === 1 ? 'One more is pending.' : `${count} more are pending.`),
  freezeTitle: 'Frozen or unfrozen',
  freeze: 'Something was frozen or unfrozen.',
  unreadable: 'A request may need your approval.',
} as const;
