/** Words of the overview. */
export const overview = {
  lead: 'What happened, and what waits.',
  waiting: 'Waiting for you',
  waitingOthers: 'Waiting for others',
  signatures: 'Signatures',
  refused: 'Refused',
  inLast: (range: string) => `in the last ${range}`,
  seeAll: 'See all',
  chart: 'Activities over time',
  chartOf: { completed: 'Completed', rejected: 'Rejected', failed: 'Failed' },
  ranges: { day: '24 hours', week: '7 days', month: '30 days' },
  recent: 'Latest activities',
  byType: 'By kind',
  nothingYet: { title: 'Welcome', text: 'Three steps to a treasury that two people hold together.' },
  steps: [
    { title: 'Make a wallet', text: 'Its seed stays in the service.', to: '/wallets' },
    { title: 'Invite a second person', text: 'They get a link and make a passkey.', to: '/people' },
    { title: 'Write a policy', text: 'Two must approve what leaves the wallet.', to: '/policies' },
  ],
  noData: 'No activity in this time.',
  table: 'Show as a table',
  when: 'When',
} as const;
