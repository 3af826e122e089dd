import { newRootKeyVariables, refuseUnknownVariables, settingVariables } from '@countersign/server/config';
import type { Context } from './context.ts';

/** Variables that commands read in addition to the settings of the service. */
const commandVariables = [
  'COUNTERSIGN_API_PRIVATE_KEY',
  'COUNTERSIGN_API_PRIVATE_KEY_FILE',
  'COUNTERSIGN_API_PUBLIC_KEY',
  'COUNTERSIGN_CREDENTIALS',
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
const testVariables = ['COUNTERSIGN_CHROMIUM', 'COUNTERSIGN_DIFFERENTIAL_KEYS', 'COUNTERSIGN_TEST_POSTGRES_URL'];

/** Every known variable whose name begins with COUNTERSIGN_. */
export const knownVariables: ReadonlySet<string> = new Set([
  ...settingVariables,
  ...newRootKeyVariables,
  ...commandVariables,
  ...testVariables,
]);

/** Throws for a misspelt variable and suggests the nearest known name. */
export function checkEnvironment({ environment }: Context): void {
  refuseUnknownVariables(environment, knownVariables);
}
