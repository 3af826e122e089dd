const targets = {
  ORGANIZATION: 'The organization is frozen',
  USER: 'A person is frozen',
  WALLET: 'A wallet is frozen',
  PRIVATE_KEY: 'A private key is frozen',
} as const;

export const freezes = {
  targets,
  nouns: { user: 'user', wallet: 'wallet', privateKey: 'private key' },
  more: (count: number) => `and ${count} more`,
  mark: 'frozen',
  frozenBy: (name: string) => `by ${name}`,
  frozenByUser: (userId: string) => `by user ${userId}`,
  show: 'Show all',
  freeze: 'Freeze',
  freezeTitle: (name: string) => `Freeze ${name}`,
  freezeTexts: {
    wholeOrganization:
      'Nothing is executed from now on, and pending activities stay pending. Only the root quorum can unfreeze it.',
    userIds: 'This person can request and approve nothing from now on. Only the root quorum can unfreeze them.',
    walletIds:
      'The keys of this wallet sign nothing from now on, and pending activities stay pending. Only the root quorum can unfreeze it.',
    privateKeyIds:
      'This key signs nothing from now on, and pending activities stay pending. Only the root quorum can unfreeze it.',
  },
  reason: 'Reason',
  reasonHint: 'Shown to everyone who may not act because of it.',
  frozen: 'Frozen',
  unfreeze: 'Unfreeze',
  unfrozen: 'Unfrozen',
  organizationTitle: 'Emergency',
  organizationText: 'Freeze the organization: nothing is executed until the root quorum unfreezes it.',
  organizationName: 'the organization',
  banner: (target: keyof typeof targets, since: string, others: number) =>
    `${targets[target]} since ${since}${others === 0 ? '' : `, and ${others} more`}. Reason:`,
} as const;
