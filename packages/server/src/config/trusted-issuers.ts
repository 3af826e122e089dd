import { z } from 'zod';
import { isLoopbackHost } from '../network/public-address.ts';

/** A trusted OpenID Connect issuer and its restrictions. */
export interface TrustedIssuer {
  /** Exactly as in the `iss` of its tokens. */
  readonly issuer: string;
  /** The accepted client ids: `aud` must be one of them. */
  readonly audiences: readonly string[];
  /** Clients that may request a token on behalf of an audience: accepted values of `azp`, in addition to the audience. */
  readonly authorizedParties: readonly string[];
  /** The issuer is inside the network: its host may have a private address, and a loopback host may use plain HTTP. */
  readonly allowPrivateAddress: boolean;
  /** Tokens with a longer lifetime are rejected. */
  readonly maxTokenSeconds: number;
  /** The URL of the issuer's keys, instead of the one in its discovery document. */
  readonly jwksUri?: string;
  /** The URL that the console redirects to for sign-in. Without it the console does not offer this issuer. */
  readonly authorizationEndpoint?: string;
}

const EXAMPLE = '[{"issuer":"https://accounts.google.com","audiences":["my-client-id"]}]';

const names = z.array(z.string().min(1).max(255)).max(100);

const trustedIssuer = z
  .strictObject({
    issuer: z.string().min(1).max(512),
    audiences: names.min(1, 'must contain at least one client id'),
    authorizedParties: names.default([]),
    allowPrivateAddress: z.boolean().default(false),
    maxTokenSeconds: z.int().min(60).max(604_800).default(86_400),
    jwksUri: z.string().min(1).max(2048).exactOptional(),
    authorizationEndpoint: z.string().min(1).max(2048).exactOptional(),
  })
  .superRefine(({ issuer, jwksUri, authorizationEndpoint, allowPrivateAddress }, context) => {
    const refuse = (field: string, message: string | undefined) => {
      if (message !== undefined) context.addIssue({ code: 'custom', path: [field], message });
    };
    refuse('issuer', issuerProblem(issuer, allowPrivateAddress));
    if (jwksUri !== undefined) refuse('jwksUri', addressProblem(jwksUri, allowPrivateAddress));
    if (authorizationEndpoint !== undefined)
      refuse('authorizationEndpoint', addressProblem(authorizationEndpoint, allowPrivateAddress));
  });

/** The setting for trusted issuers: a JSON array. An empty string or array trusts none. */
export const trustedIssuers = z
  .string()
  .transform((text, context): readonly TrustedIssuer[] =>
    parseList(text, context, { entry: trustedIssuer, example: EXAMPLE, keyOf: ({ issuer }) => issuer, what: 'an issuer' }),
  );

/** Reads a JSON array of at most 100 entries with distinct keys. `what` names an entry. */
export function parseList<T>(
  text: string,
  context: z.core.$RefinementCtx,
  { entry, example, keyOf, what }: { entry: z.ZodType<T>; example: string; keyOf: (entry: T) => string; what: string },
): readonly T[] {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const list = text.trim() === '' ? [] : parseJson(text);
  if (!Array.isArray(list)) return refuse(`must be a JSON list such as ${example}`);
  const parsed = z.array(entry).max(100).safeParse(list);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(`is wrong at ${issue?.path.join('.') || 'the list'}: ${issue?.message}`);
  }
  if (new Set(parsed.data.map(keyOf)).size < parsed.data.length) return refuse(`contains ${what} twice`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller rejects anything but an array, and shows an example.
    return undefined;
  }
}

/** OpenID Connect Discovery 1.0 section 3: an https URL without query and fragment. */
function issuerProblem(issuer: string, allowPrivateAddress: boolean): string | undefined {
  if (!URL.canParse(issuer)) return 'must be a URL';
  const { protocol, hostname, username, password, search, hash, href } = new URL(issuer);
  if (username !== '' || password !== '' || search !== '' || hash !== '' || /[?#@]/.test(issuer))
    return 'must not have a user, a query or a fragment';
  if (href !== issuer && href !== `${issuer}/`) return `must be written as a plain URL: ${href}`;
  return protocolProblem(protocol, hostname, allowPrivateAddress);
}

/** What is wrong with the address of an endpoint that the operator lists. Undefined if it may be used. */
export function addressProblem(address: string, allowPrivateAddress: boolean): string | undefined {
  if (!URL.canParse(address)) return 'must be a URL';
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return 'must not have a user';
  return protocolProblem(protocol, hostname, allowPrivateAddress);
}

function protocolProblem(protocol: string, hostname: string, allowPrivateAddress: boolean): string | undefined {
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:' && allowPrivateAddress && isLoopbackHost(hostname)) return undefined;
  return 'must start with https:// (http:// is only for a loopback host with "allowPrivateAddress": true)';
}
