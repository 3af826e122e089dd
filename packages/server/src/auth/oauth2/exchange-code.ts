import { z } from 'zod';
import type { Oauth2Provider } from '../../config/oauth2-providers.ts';
import { fetchJson } from '../oidc/fetch-json.ts';
import { IssuerUnavailable, UnexpectedStatus } from '../oidc/oidc-error.ts';

/** A code and what its client proves with it. */
export interface CodeToExchange {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authCode: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

/** The provider did not accept the code, or the client. */
export class CodeRejected extends Error {
  override readonly name = 'CodeRejected';
}

/** The time limit of both requests together. */
const DEADLINE_MS = 5_000;
const MAX_BYTES = 65_536;

/** RFC 6749 section 5.1. */
const tokens = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]{1,8192}$/),
  token_type: z.string().regex(/^bearer$/i),
});

/** Providers identify people by text or by whole numbers. */
const subjectShape = z.union([z.string().regex(/^[\x21-\x7e]{1,255}$/), z.int().nonnegative().transform(String)]);

/**
 * Exchanges a code at the token endpoint of its provider, and asks the provider who the person is. Returns the person's id there.
 * Throws CodeRejected, or IssuerUnavailable if the provider does not respond as it should.
 * SECURITY: D990: both endpoints are those of the operator's settings. Redirects are not followed, and size and time are bounded.
 */
export async function exchangeCode(provider: Oauth2Provider, code: CodeToExchange, deadlineMs = DEADLINE_MS): Promise<string> {
  const { allowPrivateAddress } = provider;
  const rules = { allowPrivateAddress, maxBytes: MAX_BYTES, signal: AbortSignal.timeout(deadlineMs) };
  const answer = await fetchJson(new URL(provider.tokenEndpoint), { ...rules, ...requestFor(provider, code) }).catch(rejected);
  const granted = tokens.safeParse(answer);
  if (!granted.success) throw new IssuerUnavailable(`${provider.tokenEndpoint} returned no bearer token`);
  const headers = { authorization: `Bearer ${granted.data.access_token}` };
  return subjectIn(provider, await fetchJson(new URL(provider.userinfoEndpoint), { ...rules, headers }));
}

/** RFC 6749 section 5.2: 400, or 401 for a client that the provider does not know by this secret. */
function rejected(error: unknown): never {
  if (error instanceof UnexpectedStatus && (error.status === 400 || error.status === 401))
    throw new CodeRejected(error.message, { cause: error });
  throw error;
}

function requestFor({ clientAuthentication }: Oauth2Provider, code: CodeToExchange) {
  const { clientId, clientSecret, authCode, redirectUri, codeVerifier } = code;
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: authCode,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    client_id: clientId,
  });
  if (clientAuthentication === 'post') {
    form.set('client_secret', clientSecret);
    return { form };
  }
  // RFC 6749 section 2.3.1: both are form-encoded before Basic joins them.
  const [user, password] = [clientId, clientSecret].map((text) => new URLSearchParams({ '': text }).toString().slice(1));
  return { form, headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` } };
}

function subjectIn({ subject, userinfoEndpoint }: Oauth2Provider, answer: unknown): string {
  let value = answer;
  for (const name of subject.split('.')) {
    const isHere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    value = isHere ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  const found = subjectShape.safeParse(value);
  if (!found.success) throw new IssuerUnavailable(`${userinfoEndpoint} returned no usable ${subject}`);
  return found.data;
}
