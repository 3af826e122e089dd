/**
 * What the policies of the guides and of the console are meant to allow, as harms of conformance/policies/harms.json with their receivers.
 * A policy that is not listed is meant to allow none.
 */
export const intended: Readonly<Record<string, readonly string[]>> = {
  'Manage users': ['users'],
  'Pay vendors': ['small-token:CONTACT'],
  // No limit: three of the treasury and the board pay any amount to vendors.
  'Pay large amounts': ['batch:CONTACT', 'small-token:CONTACT', 'token:CONTACT'],
  // To a wallet of the same organization.
  'Top up the hot wallet': ['small-coin:NAMED'],
  'Petty cash': ['small-coin:CONTACT'],
  'Run payroll': ['small-token:CONTACT'],
  'Withdraw ether': ['small-coin:ANYONE'],
  // To the cold wallet only.
  'Sweep deposits': ['batch:NAMED', 'coin:NAMED', 'other-token:NAMED', 'small-coin:NAMED', 'small-token:NAMED', 'token:NAMED'],
  'Withdraw SOL': ['small-coin:ANYONE'],
  'Withdraw USDT on Tron': ['small-token:ANYONE'],
  'Withdraw bitcoin': ['small-coin:ANYONE'],
  'Pay grants': ['small-coin:CONTACT'],
  // A client withdraws their own funds, with an officer.
  'Withdraw for a client': [
    'batch:CONTACT',
    'coin:CONTACT',
    'other-token:CONTACT',
    'small-coin:CONTACT',
    'small-token:CONTACT',
    'token:CONTACT',
  ],
  'Export with two passkeys': ['export'],
  // These keys hold no funds.
  'Sign releases': ['raw'],
  'Deploy to Sepolia': ['create-empty'],
  'Change policies': ['policy'],
  'Two of the treasury pay known vendors up to 25,000 USDC': ['small-token:CONTACT'],
  'A backend pays small amounts of ether': ['small-coin:ANYONE'],
};

/** What they allow and should not. Each is a defect of the policy. Remove it here when the policy is corrected. */
export const knownWrong: Readonly<Record<string, readonly string[]>> = {};
