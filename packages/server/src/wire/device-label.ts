/** The first name that occurs in a User-Agent names the client. Those that others imitate come last. */
type Names = readonly (readonly [contains: string, name: string])[];

/** Browsers include the names of those before them: Edge those of Chrome and Safari. */
const browsers: Names = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Vivaldi/', 'Vivaldi'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];

const systems: Names = [
  ['Windows', 'Windows'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Mac OS X', 'macOS'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
];

/** Clients that are no browsers, by the beginning of their User-Agent. */
const programs: Names = [
  ['node', 'Node.js'],
  ['undici', 'Node.js'],
  ['Deno/', 'Deno'],
  ['Bun/', 'Bun'],
  ['curl/', 'curl'],
  ['Wget/', 'Wget'],
  ['python', 'Python'],
  ['Python', 'Python'],
  ['Go-http-client/', 'Go'],
  ['okhttp/', 'Android app'],
  ['Dart/', 'Dart'],
  ['Java', 'Java'],
  ['Ruby', 'Ruby'],
  ['CFNetwork', 'Apple app'],
];

/** Characters of a User-Agent that are read. Those of browsers have about 120. */
const MOST_CHARACTERS = 512;

/**
 * The client that a User-Agent names, as `Firefox on Windows`. Undefined if it names none that is known.
 * SECURITY: D1020: the caller chooses the header. The label is composed of names in this file only, so it contains no text of the caller.
 */
export function deviceLabel(userAgent: string | undefined): string | undefined {
  const text = userAgent?.slice(0, MOST_CHARACTERS) ?? '';
  const program = programs.find(([start]) => text.startsWith(start));
  if (program !== undefined) return program[1];
  const browser = nameIn(browsers, text);
  const system = nameIn(systems, text);
  return browser !== undefined && system !== undefined ? `${browser} on ${system}` : (browser ?? system);
}

function nameIn(names: Names, text: string): string | undefined {
  return names.find(([part]) => text.includes(part))?.[1];
}
