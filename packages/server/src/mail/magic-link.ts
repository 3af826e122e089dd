/** Schemes that run or show something by themselves instead of leading to an application. */
const unsafe: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'view-source:']);

const PLACEHOLDER = '%s';

/** Whether a link can be made from a template: an address, of the web or of an application, with a place for the secret. */
export function isLinkTemplate(template: string): boolean {
  if (!template.includes(PLACEHOLDER)) return false;
  try {
    return !unsafe.has(new URL(template.replaceAll(PLACEHOLDER, 'x')).protocol);
  } catch {
    // Not an address at all.
    return false;
  }
}

/** The link with the secret in it, in the form that browsers give it; undefined where the template makes none. */
export function magicLink(template: string | undefined, secret: string): string | undefined {
  if (template === undefined || !isLinkTemplate(template)) return undefined;
  // A function, since the secret could otherwise hold patterns that `replaceAll` gives a meaning.
  return new URL(template.replaceAll(PLACEHOLDER, () => encodeURIComponent(secret))).href;
}

/** The address of an image that a mail may refer to; undefined for anything but https. */
export function logoAddress(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === 'https:' ? href : undefined;
}
