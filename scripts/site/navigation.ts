/** The pages in the margin, by file. Pages of operations, decisions and the rest are reached from these. */
export const navigation: readonly { readonly title: string; readonly files: readonly string[] }[] = [
  { title: 'Start', files: ['docs/README.md', 'docs/guide/start.md', 'docs/guide/concepts.md'] },
  {
    title: 'By job',
    files: [
      'docs/guide/console.md',
      'docs/guide/treasury.md',
      'docs/guide/embedded-wallets.md',
      'docs/guide/ci-signer.md',
      'docs/guide/exchange.md',
      'docs/guide/usdc-with-viem.md',
      'docs/guide/from-turnkey.md',
      'docs/guide/from-elsewhere.md',
    ],
  },
  {
    title: 'Policies',
    files: [
      'docs/guide/policies.md',
      'docs/guide/limits.md',
      'docs/guide/policy-parameters.md',
      'docs/guide/policy-tests.md',
      'docs/guide/proving-policies.md',
      'docs/guide/mfa-policies.md',
      'docs/guide/authority.md',
    ],
  },
  {
    title: 'Sign-in and access',
    files: [
      'docs/guide/passkeys.md',
      'docs/guide/openid-connect.md',
      'docs/guide/mail-and-one-time-codes.md',
      'docs/guide/import-export-and-sessions.md',
      'docs/guide/reading.md',
      'docs/guide/freeze.md',
      'docs/guide/ip-allowlists.md',
    ],
  },
  {
    title: 'Run it',
    files: [
      'docs/guide/tls.md',
      'docs/guide/root-key.md',
      'docs/guide/backup-and-restore.md',
      'docs/guide/webhooks.md',
      'docs/guide/witnesses.md',
      'docs/guide/shards.md',
    ],
  },
  {
    title: 'Reference',
    files: [
      'docs/reference/activities.md',
      'docs/reference/queries.md',
      'docs/reference/policy.md',
      'docs/reference/policy-parameters.md',
      'docs/reference/cli.md',
      'docs/reference/settings.md',
      'docs/reference/errors.md',
      'docs/reference/shapes.md',
      'docs/reference/transactions.md',
      'docs/reference/worst-cases.md',
      'docs/reference/audit-file.md',
      'docs/reference/interop.md',
    ],
  },
  {
    title: 'Why to trust it',
    files: ['SECURITY.md', 'docs/threats.md', 'docs/reference/threats.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  },
];
