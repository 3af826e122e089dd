/** Variables that commands read in addition to the settings of the service. */
const commandVariables = [
  'COUNTERSIGN_API_PRIVATE_KEY',
  'COUNTERSIGN_API_PRIVATE_KEY_FILE',
  'COUNTERSIGN_API_PUBLIC_KEY',
  'COUNTERSIGN_CONFIG',
  'COUNTERSIGN_CREDENTIALS',
  'COUNTERSIGN_DATA_DIR',
  'COUNTERSIGN_NATIVE',
  'COUNTERSIGN_ORGANIZATION_ID',
  'COUNTERSIGN_ORGANIZATION_NAME',
  'COUNTERSIGN_PROFILE',
  'COUNTERSIGN_RPC_URL',
  'COUNTERSIGN_SIGNER_KEY',
  'COUNTERSIGN_URL',
  'COUNTERSIGN_USER_NAME',
];

/** Variables that the tests of this repository read. Commands that a test starts see them too. */
const testVariables = [
  'COUNTERSIGN_ANVIL',
  'COUNTERSIGN_CHROMIUM',
  'COUNTERSIGN_DIFFERENTIAL_KEYS',
  'COUNTERSIGN_TEST_EXHAUSTIVE',
  'COUNTERSIGN_TEST_POSTGRES_URL',
];

/** Variables that are not settings of the service. */
export const ownVariables: ReadonlySet<string> = new Set([...commandVariables, ...testVariables]);
