/** What a page may load beyond its own scripts, styles, pictures and fonts. */
export interface PageSources {
  /** Sources of scripts; none by default. */
  readonly script?: string;
  /** Sources of styles; none by default. */
  readonly style?: string;
  /** Sources of pictures; none by default. */
  readonly image?: string;
  /** Where the page may send requests to; nowhere by default. */
  readonly connect?: string;
  /** Sources of fonts, workers and the manifest; none by default. */
  readonly other?: string;
  /** Names of the Trusted Types policies that scripts may make. */
  readonly trustedTypes?: string;
  /** Whether the page is cross-origin isolated, so that its workers can share memory. Everything that it loads then has to agree to that. */
  readonly isIsolated?: boolean;
}

/** What the console and the documentation may do: everything with this origin, nothing with any other. */
export const ownOriginOnly: PageSources = {
  script: "'self'",
  style: "'self'",
  image: "'self' data: blob:",
  connect: "'self'",
  other: "'self'",
  // A service worker can only be registered through a policy, because its address is a TrustedScriptURL.
  trustedTypes: 'countersign',
};

/** The console. Its prover needs memory that threads share. */
export const consoleSources: PageSources = { ...ownOriginOnly, isIsolated: true };

/** Features of browsers that no page of ours asks for. */
const unused = ['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'microphone', 'payment', 'usb'];

/**
 * The headers of every page for people.
 * SECURITY: nothing inline, nothing from another origin, no text that becomes a script (Trusted Types), no framing, and no referrer.
 * `X-Frame-Options` is for browsers without `frame-ancestors`.
 */
export function pageHeaders(sources: PageSources): Readonly<Record<string, string>> {
  const { script, style, image, connect, other, trustedTypes, isIsolated = false } = sources;
  const directives = [
    "default-src 'none'",
    script && `script-src ${script}`,
    style && `style-src ${style}`,
    image && `img-src ${image}`,
    connect && `connect-src ${connect}`,
    other && `font-src ${other}; manifest-src ${other}; worker-src ${other}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes ?? "'none'"}`,
  ];
  return {
    'Content-Security-Policy': directives.filter((directive) => directive !== undefined).join('; '),
    ...(isIsolated && { 'Cross-Origin-Embedder-Policy': 'require-corp' }),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Origin-Agent-Cluster': '?1',
    'Permissions-Policy': [
      ...unused.map((name) => `${name}=()`),
      'publickey-credentials-create=(self)',
      'publickey-credentials-get=(self)',
    ].join(', '),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}
