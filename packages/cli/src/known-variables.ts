import { newRootKeyVariables, refuseUnknownVariables, settingVariables } from '@countersign/server/config';
import { ownVariables } from './own-variables.ts';

/** Every known variable whose name begins with COUNTERSIGN_. */
export const knownVariables: ReadonlySet<string> = new Set([...settingVariables, ...newRootKeyVariables, ...ownVariables]);

/** Throws for a misspelt variable and suggests the nearest known name. Loads the settings of the service. */
export function refuseMisspelt(environment: Readonly<Record<string, string | undefined>>): void {
  refuseUnknownVariables(environment, knownVariables);
}
