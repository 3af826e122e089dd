import { ConfigError } from './config-error.ts';
import { distance, nearest } from './nearest.ts';
import { environmentName } from './setting-names.ts';
import { settings } from './settings.ts';

const PREFIX = 'COUNTERSIGN_';

/** Kubernetes adds these variables to every pod in the namespace of a Service whose name begins with "countersign". */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP|SCTP)/;

/** All variables of settings: the variable itself, and the one with the path of a file that contains the value. */
export const settingVariables: readonly string[] = Object.keys(settings).flatMap((name) => [
  environmentName(name),
  `${environmentName(name)}_FILE`,
]);

/**
 * Throws ConfigError for unknown variables that resemble known ones.
 * SECURITY: a misspelt name must not count as an absent setting. Without its passphrase the service would create a plain key file.
 */
export function refuseUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): void {
  const unknown = Object.keys(environment).filter(
    (name) => environment[name] !== undefined && !known.has(name) && looksLikeOurs(name.toUpperCase(), known),
  );
  if (unknown.length === 0) return;
  const named = unknown.map((name) => `${name} (the nearest known name is ${nearest(name.toUpperCase(), known)})`);
  const isLinked = unknown.some((name) => SERVICE_LINK.test(name));
  throw new ConfigError(
    `The environment has ${unknown.length === 1 ? 'a variable' : 'variables'} that countersign does not know: ${named.join(', ')}.`,
    "Correct the name, or unset it if it is not meant for countersign. 'countersign serve --help' lists the settings." +
      (isLinked
        ? ' Kubernetes sets such variables for a Service called countersign: set enableServiceLinks: false for the pod.'
        : ''),
  );
}

function looksLikeOurs(name: string, known: ReadonlySet<string>): boolean {
  if (name.startsWith(PREFIX)) return true;
  // The prefix itself may be misspelt. One edit leaves at least one of these two parts intact.
  if (!name.includes('COUNTER') && !name.includes('SIGN_')) return false;
  return [...known].some((candidate) => distance(name, candidate) <= 1);
}
