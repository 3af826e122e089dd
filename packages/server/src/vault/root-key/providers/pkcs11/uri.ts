import { ConfigError } from '../../../../config/config-error.ts';

/** Which token and key to use. Each given attribute must match. */
export interface TokenSelector {
  readonly token?: string;
  readonly serial?: string;
  readonly manufacturer?: string;
  readonly model?: string;
  readonly 'slot-id'?: string;
}

/** A token, its key and how to reach them. */
export interface Pkcs11Key {
  readonly modulePath: string;
  readonly selector: TokenSelector;
  /** The label of the key (CKA_LABEL). */
  readonly label: string;
  readonly pinFile: string;
}

const DEFAULT_LABEL = 'countersign';
const selectors = ['token', 'serial', 'manufacturer', 'model', 'slot-id'] as const;
const known = { path: new Set<string>([...selectors, 'object', 'type']), query: new Set(['module-path', 'pin-source']) };

/** The settings of a token: a label of the token or a PKCS #11 URI, and what the URI does not say. */
export interface Pkcs11Settings {
  readonly pkcs11Uri?: string;
  readonly pkcs11Module?: string;
  readonly pkcs11PinFile?: string;
}

/** Reads the settings. Throws ConfigError if they do not name one token, its library and a file with the PIN. */
export function readPkcs11Key({ pkcs11Uri = '', pkcs11Module, pkcs11PinFile }: Pkcs11Settings): Pkcs11Key {
  const { path, query } = pkcs11Uri.startsWith('pkcs11:') ? parseUri(pkcs11Uri) : { path: { token: pkcs11Uri }, query: {} };
  const selector = Object.fromEntries(selectors.flatMap((name) => (path[name] === undefined ? [] : [[name, path[name]]])));
  if (Object.values(selector).every((value) => value === ''))
    throw new ConfigError('The PKCS #11 URI names no token.', 'Add the label of the token, as in pkcs11:token=countersign.');
  if (path.type !== undefined && path.type !== 'secret-key')
    throw new ConfigError(
      `The PKCS #11 URI has the type ${path.type}.`,
      'The root key is a secret-key. Remove the type, or correct it.',
    );
  const modulePath = pkcs11Module ?? query['module-path'];
  if (modulePath === undefined)
    throw new ConfigError(
      'No PKCS #11 library is configured.',
      'Pass its path with --pkcs11-module, or as module-path in the URI.',
    );
  return { modulePath, selector, label: path.object ?? DEFAULT_LABEL, pinFile: pkcs11PinFile ?? pinSource(query['pin-source']) };
}

/** RFC 7512: `pkcs11:` attributes separated by semicolons, then `?` and query attributes separated by `&`. */
function parseUri(uri: string): Record<'path' | 'query', Record<string, string>> {
  const [path = '', query = ''] = uri.slice('pkcs11:'.length).split(/\?(.*)/s);
  if (/(^|&)pin-value=/.test(query))
    throw new ConfigError(
      'The PKCS #11 URI contains a PIN.',
      'Put the PIN into a file, and name the file with --pkcs11-pin-file. Change the PIN if others may have read the settings.',
    );
  return { path: attributes(path, ';', known.path), query: attributes(query, '&', known.query) };
}

/** SECURITY: an unknown attribute would narrow the choice of the key. Ignoring it could select another key. */
function attributes(text: string, separator: string, names: ReadonlySet<string>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const part of text.split(separator).filter((each) => each !== '')) {
    const [name = '', value = ''] = part.split(/=(.*)/s);
    if (!names.has(name) || found[name] !== undefined)
      throw new ConfigError(
        `The PKCS #11 URI has the attribute ${name} ${names.has(name) ? 'twice' : 'that is not supported'}.`,
        `Use each of ${[...names].join(', ')} at most once.`,
      );
    found[name] = decode(value);
  }
  return found;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new ConfigError(
      `The PKCS #11 URI has a broken percent-encoding: ${text}`,
      'Encode each byte as % and two hex digits.',
      {
        cause,
      },
    );
  }
}

function pinSource(source: string | undefined): string {
  const file = source?.replace(/^file:(\/\/)?/, '');
  if (file?.startsWith('/')) return file;
  throw new ConfigError(
    source === undefined ? 'No file with the PIN of the PKCS #11 token is configured.' : `pin-source is not a file: ${source}`,
    'Name the file with --pkcs11-pin-file, or as pin-source=file:/path in the URI.',
  );
}
