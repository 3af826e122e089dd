import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** The one use of a token that the holder of its key signed for. */
export interface Login {
  readonly tokenId: string;
  /** The key to log in, in hexadecimal. */
  readonly sessionKeyHex: string;
}

/** The root user that the holder of a token's key signs up as, in the form of the request. */
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

/** Whether a statement asks for exactly this login. */
export function saysLogin(statement: unknown, { tokenId, sessionKeyHex }: Login): boolean {
  const parsed = loginShape.safeParse(statement);
  return (
    parsed.success && parsed.data.tokenId === tokenId && parsed.data.login.publicKey.toLowerCase() === sessionKeyHex.toLowerCase()
  );
}

const stampLoginShape = z.object({
  parameters: z.object({ publicKey: z.string() }),
  type: z.literal('ACTIVITY_TYPE_STAMP_LOGIN'),
});

/** Whether a statement is the body of a login with this key. Clients stamp such a body with the key that their token names. */
export function saysStampLogin(statement: unknown, sessionKeyHex: string): boolean {
  const parsed = stampLoginShape.safeParse(statement);
  return parsed.success && parsed.data.parameters.publicKey.toLowerCase() === sessionKeyHex.toLowerCase();
}

const items = z.array(z.unknown()).default([]);
/** SECURITY: strict, so that the holder never signs for something that the service would then leave out. */
const newUser = z.strictObject({
  email: z.string().optional(),
  phoneNumber: z.string().optional(),
  apiKeys: items,
  authenticators: items,
  oauthProviders: items,
});

const common = { tokenId: z.string(), type: z.literal('USAGE_TYPE_SIGNUP') };
/** Clients use two names for it. The first version named identities by their tokens only. */
const signUpShape = z.union([z.strictObject({ ...common, signupV2: newUser }), z.strictObject({ ...common, signup: newUser })]);

/**
 * Whether a statement asks for exactly this sign-up: the contacts and every credential, in the order of the request. The order of fields
 * does not matter, and an absent list is empty.
 */
export function saysSignUp(statement: unknown, { tokenId, user }: SignUp): boolean {
  const parsed = signUpShape.safeParse(statement);
  if (!parsed.success || parsed.data.tokenId !== tokenId) return false;
  const wanted = 'signupV2' in parsed.data ? parsed.data.signupV2 : parsed.data.signup;
  const { userEmail, userPhoneNumber, apiKeys, authenticators, oauthProviders } = user;
  return (
    wanted.email === userEmail &&
    wanted.phoneNumber === userPhoneNumber &&
    isDeepStrictEqual(wanted.apiKeys, apiKeys) &&
    isDeepStrictEqual(wanted.authenticators, authenticators) &&
    isDeepStrictEqual(wanted.oauthProviders, oauthProviders)
  );
}
