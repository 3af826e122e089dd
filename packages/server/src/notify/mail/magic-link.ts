/** Schemes that execute or show content instead of opening an application. */
const unsafe: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'view-source:']);

const PLACEHOLDER = '%s';

/** Whether a template is a link: a URL of a web page or an application, with a placeholder for the secret. */
export function isLinkTemplate(template: string): boolean {
  if (!template.includes(PLACEHOLDER)) return false;
  try {
    return !unsafe.has(new URL(template.replaceAll(PLACEHOLDER, 'x')).protocol);
  } catch {
    // Not a URL.
    return false;
  }
}

/** The link that contains the secret, normalized as browsers do. Undefined if the template is not a link. */
export function magicLink(template: string | undefined, secret: string): string | undefined {
  if (template === undefined || !isLinkTemplate(template)) return undefined;
  // A function, because `replaceAll` would interpret patterns such as $& in a text.
  return new URL(template.replaceAll(PLACEHOLDER, () => encodeURIComponent(secret))).href;
}

/** The URL of a logo for a mail. Undefined unless it is https. */
export function logoAddress(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === 'https:' ? href : undefined;
}
