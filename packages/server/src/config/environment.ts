import { ConfigError } from './read-config.ts';
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

/** The known name with the smallest edit distance. */
export function nearest(name: string, known: Iterable<string>): string {
  const ranked = [...known].map((candidate) => ({ candidate, edits: distance(name, candidate) }));
  return ranked.reduce((best, next) => (next.edits < best.edits ? next : best)).candidate;
}

/** The edit distance of two texts: insert, delete or replace a letter, or swap two neighbours (optimal string alignment). */
function distance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    rows[row] = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      (rows[row] as number[])[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(from.length, to.length);
}
