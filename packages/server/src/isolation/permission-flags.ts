/**
 * Flags that turn on the permission model of Node where this version has a stable one: files to read, and the network. It is a second layer
 * against mistakes of programs; the operating system is the first.
 */
export function permissionFlags(
  readable: readonly string[],
  known: ReadonlySet<string> = process.allowedNodeEnvironmentFlags,
): readonly string[] {
  if (!known.has('--permission')) return [];
  return [
    '--permission',
    ...(known.has('--allow-net') ? ['--allow-net'] : []),
    ...readable.map((path) => `--allow-fs-read=${path}`),
  ];
}
