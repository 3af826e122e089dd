/** Why a button cannot be used, by the reason that the service states. */
export const denials = {
  IMPLICIT: 'You cannot do this: no policy allows it.',
  POLICY: 'You cannot do this: a policy denies it.',
  ROOT_QUORUM_ONLY: 'Only members of the root quorum can do this.',
  FROZEN: 'Not possible while the organization is frozen.',
} as const;
export const unknownDenial = 'You cannot do this: the service denies it.';
