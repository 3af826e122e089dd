import { JsonError, type JsonValue, readStrictJson } from '@countersign/strict-json';
import { z } from 'zod';
import { filePath } from './setting-values.ts';

/** One endpoint of a chain, as the operator wrote it. Credentials are in files. */
export interface ChainEndpoint {
  readonly url?: string;
  /** A file with the URL, for URLs that contain a credential. */
  readonly urlFile?: string;
  /** A file with a bearer token. */
  readonly bearerFile?: string;
  /** The name of a header, and a file with its value. */
  readonly header?: string;
  readonly headerFile?: string;
}

/** The endpoints of one chain, by its CAIP-2 name. The first is used while it responds. */
export interface ConfiguredChain {
  readonly chain: string;
  readonly endpoints: readonly ChainEndpoint[];
}

const EXAMPLE = '{"eip155:1":["https://node.example.com"]}';

/** CAIP-2, with the namespaces that the service connects to. */
const chainNames = {
  eip155: { pattern: /^eip155:[1-9]\d{0,18}$/, example: 'eip155:1' },
  solana: { pattern: /^solana:[1-9A-HJ-NP-Za-km-z]{32}$/, example: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
  bip122: { pattern: /^bip122:[0-9a-f]{32}$/, example: 'bip122:000000000019d6689c085ae165831e93' },
  tron: { pattern: /^tron:0x[0-9a-f]{8}$/, example: 'tron:0x2b6653dc' },
} as const;

/** The CAIP-2 namespaces that the service connects to. */
export type ChainNamespace = keyof typeof chainNames;

/** The namespace of a CAIP-2 name. Undefined for a name that is not one of a chain that the service connects to. */
export function chainNamespace(chain: string): ChainNamespace | undefined {
  return (Object.keys(chainNames) as ChainNamespace[]).find((name) => chainNames[name].pattern.test(chain));
}

/** Headers that frame a request or name its receiver. */
const reservedHeaders =
  /^(host|content-.*|transfer-encoding|connection|upgrade|expect|te|trailer|accept-encoding|keep-alive|proxy-.*)$/i;

const endpoint = z
  .union([
    z.string().transform((url): ChainEndpoint => ({ url })),
    z.strictObject({
      url: z.string().exactOptional(),
      urlFile: filePath.exactOptional(),
      bearerFile: filePath.exactOptional(),
      header: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header')
        .refine((name) => !reservedHeaders.test(name), 'must not be a header that frames a request')
        .exactOptional(),
      headerFile: filePath.exactOptional(),
    }),
  ])
  .superRefine(({ url, urlFile, bearerFile, header, headerFile }, context) => {
    const refuse = (message: string | undefined) => {
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    };
    if ((url === undefined) === (urlFile === undefined)) refuse('needs url or urlFile, and not both');
    if (url !== undefined) refuse(endpointUrlProblem(url) ?? credentialProblem(url));
    if ((header === undefined) !== (headerFile === undefined)) refuse('needs header and headerFile together');
    if (bearerFile !== undefined && header !== undefined) refuse('has bearerFile and header; keep one of them');
  });

/** The setting: a JSON object from chains to their endpoints. An empty text or object names none. */
export const chainEndpoints = z.string().transform((text, context): readonly ConfiguredChain[] => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (text.trim() === '') return [];
  const given = parseJson(text);
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return refuse(`must be a JSON object from chains to lists of URLs such as ${EXAMPLE}`);
  const chains: ConfiguredChain[] = [];
  for (const [chain, value] of Object.entries(given)) {
    if (chainNamespace(chain) === undefined) return refuse(unknownChain(chain));
    const parsed = z.array(endpoint).min(1, 'must contain at least one endpoint').max(8).safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return refuse(`is wrong at ${[chain, ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
    }
    chains.push({ chain, endpoints: parsed.data });
  }
  return chains;
});

function parseJson(text: string): JsonValue {
  try {
    return readStrictJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    // The caller rejects anything but an object, and shows an example.
    return null;
  }
}

function unknownChain(chain: string): string {
  const examples = Object.values(chainNames).map(({ example }) => example);
  const shown = /^[-a-z0-9]{3,8}:[-\w]{1,64}$/.test(chain) ? `: ${chain}` : '';
  return `names a chain that the service does not connect to${shown}. Names are those of CAIP-2, such as ${examples.join(', ')}`;
}

/** What is wrong with the URL of an endpoint, wherever it comes from. */
export function endpointUrlProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return 'must be a URL';
  const { protocol, username, password, hash } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// (or http:// in chainNetworks)';
  if (username !== '' || password !== '') return 'must not have a user or a password: use bearerFile, or header and headerFile';
  return hash === '' ? undefined : 'must not end with a fragment (#…)';
}

/** SECURITY: D761: settings are shown by `config show` and repeated by errors, so a credential must be in a file. */
function credentialProblem(text: string): string | undefined {
  const { search, pathname } = new URL(text);
  const isSecret = search !== '' || pathname.split('/').some((part) => /^[\w.~-]{16,}$/.test(part) && /\d/.test(part));
  return isSecret
    ? 'has a path or query that may contain a credential: put the URL in a file, and name it with urlFile'
    : undefined;
}
