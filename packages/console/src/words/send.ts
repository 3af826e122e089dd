/** Why something cannot be paid. */
const amountProblems = {
  form: 'Write a number such as 1500.25, without separators of thousands.',
  precision: 'The asset has fewer decimals.',
  zero: 'Write an amount above 0.',
} as const;

const receiverProblems = {
  badRecipient: 'Not an address of this network, or its checksum is wrong. Compare it with the source.',
  zeroRecipient: 'Nobody has the key of this address: what it receives is lost. Ask for the address of a wallet.',
  contractRecipient: 'This is the contract of the token: what it receives is lost.',
  ownRecipient: 'This is the account that pays.',
} as const;

/** Texts of payments. */
export const send = {
  title: 'Send',
  lead: 'Before you submit a payment, you see what approvers will see.',
  account: 'From',
  noAccount: {
    title: 'No account to pay from',
    text: 'Create a wallet with an account of Ethereum, Solana, Tron or Bitcoin first, or a private key with such an address.',
  },
  network: 'Network',
  recipient: 'Recipient',
  recipientHint: 'The name of a contact, or an address.',
  contacts: 'Matching contacts',
  asset: 'Asset',
  amount: 'Amount',
  amountProblems,
  receiverProblems,
  balance: (text: string) => `Balance: ${text}, according to the service.`,
  feeAboveBalance: (balance: string, fee: string) =>
    `The balance of ${balance}, according to the service, does not pay the highest network fee of ${fee} too.`,
  aboveBalance: (text: string) => `More than the balance of ${text}, according to the service.`,
  noBalance: 'The service has no connection to this network, so it shows no balance.',
  unknownBalance: 'The service does not know the balance here.',
  testNetworks: {
    'bip122:000000000933ea01ad0ee984209779ba': 'Bitcoin testnet',
    'bip122:00000008819873e925422c1ff0f99f7c': 'Bitcoin signet',
    'bip122:0f9188f13cb7b2c71f2a335e3a4fc328': 'Bitcoin regtest',
  },
  notBuilt: {
    title: 'The service is not connected to this network',
    text: 'A payment here needs a recent block, which only a node knows. Build the transaction with another tool and sign it.',
    nothing: 'The console pays here only through a node. The operator can connect one with the setting chainEndpoints.',
    sign: 'Sign a transaction',
  },
  memo: 'Memo',
  memoHint: 'Text on the chain, which everybody can read. Some exchanges need one.',
  coins: 'Transactions that paid this account',
  coinsHint:
    'Whole transactions in hexadecimal, one on each line, as nodes and explorers show them. The payment spends their outputs to this account, and returns the rest to it. Their hashes prove the amounts.',
  priority: 'Priority fee',
  feeLimit: 'Fee limit',
  rate: 'Network fee',
  rateUnit: 'satoshis per virtual byte',
  inUnit: (label: string, unit: string) => `${label}, in ${unit}`,
  feeAbove: (most: string) => `The console takes at most ${most}.`,
  fee: 'Network fee',
  speeds: { SLOW: 'Slow', NORMAL: 'Normal', FAST: 'Fast', OWN: 'Set it yourself' },
  maxFee: 'Most per unit of gas, in gwei',
  priorityFee: 'Of it for the validator, in gwei',
  gasLimit: 'Gas limit',
  nonce: 'Nonce',
  nonceHint: 'The number of transactions that the account has sent on this network.',
  feeTooHigh: (most: string) => `The console takes at most ${most} gwei for each unit of gas.`,
  gasFeeTooHigh: (most: string) => `The console pays at most ${most} of the coin for all gas.`,
  willSend: 'The service sends the payment after its approval.',
  willSign: 'The service is not connected to this network. It signs the payment, and you send it.',
  submit: 'Submit',
  submitted: 'The payment was submitted.',
  signed: 'Approved and signed.',
  open: 'Open the activity',
  problems: {
    mismatch: 'What was built is not this payment. It cannot be submitted. Reload the page, and report this.',
    unprovenToken:
      'The log of the service does not prove the decimals of this token, so the amount is uncertain. It cannot be paid here.',
  },
  warnings: 'Worth a second look',
  comparing: 'Comparing with requests of the last three days…',
  requestedBefore: 'This payment was requested before',
  tooManyActivities: 'There are too many activities to find earlier requests for this payment.',
  notContact: 'The recipient is not in your contacts.',
  tabs: { one: 'One payment', file: 'From a file' },
  batch: {
    file: 'CSV file',
    fileHint:
      'The first line names the columns: recipient, amount, asset and reference. At most 100 payments. Without an asset, the coin of the network is paid. A reference is for the people who read the request.',
    firstNonce: 'Nonce of the first payment',
    preview: 'Payments of the file',
    summary: (count: number) => (count === 1 ? '1 payment' : `${count} payments`),
    wrong: (count: number) =>
      count === 1 ? '1 line is wrong, so nothing can be submitted' : `${count} lines are wrong, so nothing can be submitted`,
    line: (line: number) => `Line ${line}`,
    duplicate: 'Duplicate: another line is the same payment',
    submit: (count: number) => (count === 1 ? 'Submit 1 payment' : `Submit ${count} payments`),
    progress: (done: number, all: number, before: number) =>
      before === 0 ? `${done} of ${all} submitted` : `${done} of ${all} submitted, ${before} sent before`,
    sentBefore: 'Sent before. Nothing was sent again',
    leftOut: 'Left out',
    again: (count: number) =>
      count === 1
        ? 'Also submit the payment that was requested before'
        : `Also submit the ${count} payments that were requested before`,
    againHint: 'A line that the service sent for you in the last 24 hours is not sent again, also if you choose this.',
    denied: (count: number) =>
      count === 1 ? 'Submit 1 payment although it will be denied' : `Submit ${count} payments although they will be denied`,
    judgedAlone:
      'Each expected decision is for its line alone. Limits over time do not count the other lines, so later lines can be decided differently.',
    decisionsUnknown: 'The expected decisions could not be loaded',
    save: 'Save the result',
    columns: ['Line', 'Recipient', 'Amount', 'Asset', 'Reference', 'Status', 'Activity', 'Error'],
    unprovenContact: 'The log of the service does not prove the address of this contact. Write the address instead.',
    fileProblems: {
      size: 'The file is too long: at most 65,536 characters.',
      quote: 'A quotation mark is not closed, or stands in the middle of a field.',
      empty: 'The file has no lines.',
      rows: 'The file has more than 100 payments.',
      columns:
        'The first line must name the columns recipient and amount, and may name asset and reference. It must name no other.',
    },
    rowProblems: {
      ...amountProblems,
      ...receiverProblems,
      asset: 'No asset of this network has this symbol, or several have. Write the contract of the token.',
      ambiguousContact: 'Several addresses have this contact name. Write the address.',
      cells: 'This line has more or fewer fields than the first one.',
      fee: 'The network fee is missing or too high.',
      reference: 'The reference has more than 140 characters, or characters that are not displayed.',
    },
  },
} as const;
