/** Schemes that run or show something themselves instead of opening an application. */
const unsafe: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'view-source:']);

const PLACEHOLDER = '%s';

/** Whether a template gives a link: an address of the web or of an application, with a place for the secret. */
export function isLinkTemplate(template: string): boolean {
  if (!template.includes(PLACEHOLDER)) return false;
  try {
    return !unsafe.has(new URL(template.replaceAll(PLACEHOLDER, 'x')).protocol);
  } catch {
    // Not an address.
    return false;
  }
}

/** The link with the secret in it, normalized as browsers do. Undefined if the template does not give a link. */
export function magicLink(template: string | undefined, secret: string): string | undefined {
  if (template === undefined || !isLinkTemplate(template)) return undefined;
  // A function, because `replaceAll` would interpret patterns such as $& in a text.
  return new URL(template.replaceAll(PLACEHOLDER, () => encodeURIComponent(secret))).href;
}

/** The address of an image that a mail may show. Undefined for anything but https. */
export function logoAddress(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === 'https:' ? href : undefined;
}
