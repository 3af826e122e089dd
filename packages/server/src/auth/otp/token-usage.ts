import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** The one thing that the holder of a token's key wants it used for. */
export interface Login {
  readonly tokenId: string;
  /** The key that is to be logged in, in hexadecimal. */
  readonly sessionKeyHex: string;
}

/** A root user that the holder of a token's key wants to begin as, in the form of the request. */
export interface SignUp {
  readonly tokenId: string;
  readonly user: {
    readonly userEmail?: string | undefined;
    readonly userPhoneNumber?: string | undefined;
    readonly apiKeys: readonly unknown[];
    readonly authenticators: readonly unknown[];
    readonly oauthProviders: readonly unknown[];
  };
}

const loginShape = z.object({
  login: z.object({ publicKey: z.string() }),
  tokenId: z.string(),
  type: z.literal('USAGE_TYPE_LOGIN'),
});

/** Whether a statement says exactly this login. */
export function saysLogin(statement: unknown, { tokenId, sessionKeyHex }: Login): boolean {
  const said = loginShape.safeParse(statement);
  return said.success && said.data.tokenId === tokenId && said.data.login.publicKey.toLowerCase() === sessionKeyHex.toLowerCase();
}

const items = z.array(z.unknown()).default([]);
/** SECURITY: strict, because something else that the holder asked for would not be done. */
const newUser = z.strictObject({
  email: z.string().optional(),
  phoneNumber: z.string().optional(),
  apiKeys: items,
  authenticators: items,
  oauthProviders: items,
});

const common = { tokenId: z.string(), type: z.literal('USAGE_TYPE_SIGNUP') };
/** The two names under which clients say it: the first knew identities by their tokens alone. */
const signUpShape = z.union([z.strictObject({ ...common, signupV2: newUser }), z.strictObject({ ...common, signup: newUser })]);

/**
 * Whether a statement says exactly this sign-up: the contacts and every credential, in the order of the request. The order of the fields
 * within them does not matter, and a list that is left out is empty.
 */
export function saysSignUp(statement: unknown, { tokenId, user }: SignUp): boolean {
  const said = signUpShape.safeParse(statement);
  if (!said.success || said.data.tokenId !== tokenId) return false;
  const wanted = 'signupV2' in said.data ? said.data.signupV2 : said.data.signup;
  const { userEmail, userPhoneNumber, apiKeys, authenticators, oauthProviders } = user;
  return (
    wanted.email === userEmail &&
    wanted.phoneNumber === userPhoneNumber &&
    isDeepStrictEqual(wanted.apiKeys, apiKeys) &&
    isDeepStrictEqual(wanted.authenticators, authenticators) &&
    isDeepStrictEqual(wanted.oauthProviders, oauthProviders)
  );
}
