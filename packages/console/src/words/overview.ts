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
  durations: {
    title: 'How long requests took',
    lead: 'From the end of a request to the answer. What was refused does not count.',
    median: 'Half of them',
    p99: '99 of 100',
    requests: 'Requests',
    within: (time: string) => `within ${time}`,
    longer: (time: string) => `in more than ${time}`,
    sentence: (count: number, range: string, median: string, p99: string) =>
      count === 1
        ? `One request in the last ${range}, answered ${p99}.`
        : `Of ${count.toLocaleString('en')} requests in the last ${range}, half were answered ${median}, and 99 of 100 ${p99}.`,
    none: 'No request in this time. What is signed or changed from now on shows here.',
  },
  table: 'Show as a table',
  when: 'When',
} as const;
