/** Names in an installation whose first organization nobody has named yet. The console asks for others. */
export const firstNames = { organizationName: 'First organization', userName: 'Root user' } as const;
