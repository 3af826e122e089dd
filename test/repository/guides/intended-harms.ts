/**
 * What the policies of the guides and of the console are meant to allow, as harms of conformance/policies/harms.json with their receivers.
 * A policy that is not listed is meant to allow none.
 */
export const intended: Readonly<Record<string, readonly string[]>> = {
  'Manage users': ['users'],
  'Pay vendors': ['small-token:CONTACT'],
  // No limit: three of the treasury and the board pay any amount to vendors.
  'Pay large amounts': [
    'batch:CONTACT',
    'coin:CONTACT',
    'nothing:CONTACT',
    'other-token:CONTACT',
    'small-coin:CONTACT',
    'small-token:CONTACT',
    'token:CONTACT',
  ],
  // To a wallet of the same organization.
  'Top up the hot wallet': [
    'batch:NAMED',
    'nothing:NAMED',
    'other-token:NAMED',
    'small-coin:NAMED',
    'small-token:NAMED',
    'token:NAMED',
  ],
  'Petty cash': ['nothing:CONTACT', 'small-coin:CONTACT'],
  'Run payroll': ['small-token:CONTACT'],
  'Withdraw ether': ['nothing:ANYONE', 'small-coin:ANYONE'],
  // To the cold wallet only.
  'Sweep deposits': [
    'batch:NAMED',
    'coin:NAMED',
    'nothing:NAMED',
    'other-token:NAMED',
    'small-coin:NAMED',
    'small-token:NAMED',
    'token:NAMED',
  ],
  'Withdraw SOL': ['small-coin:ANYONE'],
  'Withdraw USDT on Tron': ['small-token:ANYONE'],
  'Withdraw bitcoin': ['small-coin:ANYONE'],
  'Pay grants': ['nothing:CONTACT', 'small-coin:CONTACT'],
  'Permit with a limit': ['small-allowance:CONTACT'],
  // A client withdraws their own funds, with an officer.
  'Withdraw for a client': [
    'batch:CONTACT',
    'coin:CONTACT',
    'nothing:CONTACT',
    'other-token:CONTACT',
    'small-coin:CONTACT',
    'small-token:CONTACT',
    'token:CONTACT',
  ],
  'Export with two passkeys': ['export'],
  // These keys hold no funds.
  'Sign releases': ['raw'],
  'Change policies': ['policy'],
};

/** What they allow and should not. Each is a defect of the policy. Remove it here when the policy is corrected. */
export const knownWrong: Readonly<Record<string, readonly string[]>> = {
  'Withdraw SOL': ['token:ANYONE'],
  'Swap on one router': ['batch:ANYONE'],
  'Two of the treasury pay known vendors': [
    'allowance:ANYONE',
    'authority:ANYONE',
    'batch:CONTACT',
    'chain:CONTACT',
    'coin:CONTACT',
    'durable:CONTACT',
    'fee:CONTACT',
    'lock:ANYONE',
    'nothing',
    'nothing:CONTACT',
    'other-token:CONTACT',
    'replayable:CONTACT',
    'small-allowance:ANYONE',
    'small-chain:CONTACT',
    'small-coin:CONTACT',
    'small-token:CONTACT',
    'token:CONTACT',
  ],
  'A backend signs small amounts on mainnet': [
    'allowance:ANYONE',
    'batch:ANYONE',
    'nothing:ANYONE',
    'other-token:ANYONE',
    'small-allowance:ANYONE',
    'small-coin:ANYONE',
    'small-token:ANYONE',
    'token:ANYONE',
  ],
};
