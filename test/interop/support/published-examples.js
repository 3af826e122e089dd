/** Scripts of one set of examples: what each is about, how many of them there are, and the methods that they are there to show. */
const typeScript = [
  [2, 'approve and reject an activity', ['approveActivity', 'rejectActivity']],
  [1, 'reject an activity with the server package', ['rejectActivity']],
  [3, 'make an API key', ['createApiKeys']],
  [6, 'make a private key for Ethereum or Solana', ['createPrivateKeys']],
  [6, 'make a wallet for Ethereum or Solana', ['createWallet']],
  [3, 'delete wallets', ['deleteWallets']],
  [3, 'invite users', ['createInvitations']],
  [3, 'make a policy', ['createPolicy']],
  [3, 'tag private keys', ['createPrivateKeyTag']],
  [3, 'tag users', ['createUserTag']],
  [3, 'make a sub-organization', ['createSubOrganization']],
  [3, 'make a user', ['createUsers']],
  [3, 'set a feature', ['setOrganizationFeature']],
  [3, 'sign a payload, or stamp the request for it', ['signRawPayload']],
  [2, 'sign a transaction', ['signTransaction']],
  [3, 'change the root quorum', ['updateRootQuorum']],
  [1, 'sign in by mail', ['emailAuth']],
];
const go = [
  [1, 'ask who I am', ['getWhoami']],
  [1, 'make a wallet', ['createWallet']],
  [1, 'add accounts to a wallet', ['createWalletAccounts']],
  [1, 'export a wallet', ['exportWallet']],
  [1, 'export an account', ['exportWalletAccount']],
  [1, 'import a wallet', ['initImportWallet', 'importWallet']],
  [1, 'import a private key', ['initImportPrivateKey', 'importPrivateKey']],
  [1, 'sign a payload', ['signRawPayload']],
  [1, 'sign a transaction', ['signTransaction']],
  [3, 'sign transactions of go-ethereum', ['signTransaction']],
  [1, 'give a backend limited access', ['createSubOrganization', 'createPolicy', 'updateRootQuorum']],
  [1, 'sign in with a code', ['initOtp', 'verifyOtp', 'otpLogin']],
  [1, 'sign up with a code', ['initOtp', 'verifyOtp', 'createSubOrganization']],
  [1, 'send a transaction to Ethereum', ['ethSendTransaction', 'getSendTransactionStatus']],
  [1, 'send a transaction to Solana', ['solSendTransaction', 'getSendTransactionStatus']],
];
const rust = [
  [1, 'ask who I am', ['getWhoami']],
  [3, 'make a sub-organization, with a key of each kind', ['createSubOrganization']],
  [1, 'make a wallet', ['createWallet']],
  [1, 'check proofs of an enclave', ['getBootProof']],
  [1, 'import and export a secret', ['importSecrets', 'exportSecrets']],
];

/** Published examples by language. The names of their files tell the methods; the examples themselves are not run here. */
export const publishedExamples = { TypeScript: typeScript, Go: go, Rust: rust };
