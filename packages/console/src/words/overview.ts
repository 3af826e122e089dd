/** Texts of the overview. */
export const overview = {
  lead: 'Recent activities and pending approvals.',
  pending: 'Pending your approval',
  pendingOthers: 'Pending for others',
  signatures: 'Signatures',
  denied: 'Denied',
  inLast: (range: string) => `in the last ${range}`,
  seeAll: 'See all',
  chart: 'Activities over time',
  chartOf: { completed: 'Completed', rejected: 'Rejected', failed: 'Failed' },
  ranges: { day: '24 hours', week: '7 days', month: '30 days' },
  recent: 'Latest activities',
  byType: 'By kind',
  nothingYet: { title: 'Welcome', text: 'Three steps to a treasury that two people control together.' },
  steps: [
    { title: 'Create a wallet', text: 'Its seed stays in the service.', to: '/wallets' },
    { title: 'Invite a second person', text: 'They receive a link and create a passkey.', to: '/people' },
    { title: 'Write a policy', text: 'Two people must approve each payment from the wallet.', to: '/policies' },
  ],
  noData: 'No activity in this period.',
  durations: {
    title: 'Request durations',
    lead: 'From the end of a request to its response, without denied requests.',
    median: 'Half of them',
    p99: '99 of 100',
    requests: 'Requests',
    within: (time: string) => `within ${time}`,
    longer: (time: string) => `in more than ${time}`,
    sentence: (count: number, range: string, median: string, p99: string) =>
      count === 1
        ? `One request in the last ${range}, answered ${p99}.`
        : `Of ${count.toLocaleString('en')} requests in the last ${range}, half were answered ${median}, and 99 of 100 ${p99}.`,
    none: 'No requests in this period. New signatures and changes appear here.',
  },
  table: 'Show as a table',
  when: 'When',
} as const;
