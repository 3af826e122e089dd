/** The reference of a request: the requester’s own words. */
export const references = {
  label: 'Reference',
  hint: 'An invoice number or a purpose. Everyone who may read the request sees it, and it is not on the chain.',
  wrong: (problem: string) => `The reference ${problem}.`,
  ofRequester: (name: string) => `Reference, in the words of ${name}. Nobody checked it:`,
} as const;
