import { hash } from 'node:crypto';
import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';

/** Checks that a person, not a program, sent a request. */
export interface Captcha {
  /** The public key of the provider that pages need. Undefined without a provider. */
  readonly siteKey: string | undefined;
  /** Throws CAPTCHA_INVALID unless the provider accepts the token, and this process has not seen it before. */
  require(token: string | undefined, clientAddress: string | undefined): Promise<void>;
}

const TIMEOUT_MS = 5_000;
const MAX_TOKEN_LENGTH = 4_096;
/** Providers forget a token after a few minutes. */
const REMEMBERED_MS = 15 * 60_000;
const MAX_REMEMBERED = 100_000;

/** A provider with the `siteverify` protocol, such as hCaptcha and Turnstile. Only the operator sets its URL. */
export function openCaptcha(
  { captchaVerifyUrl, captchaSecret, captchaSiteKey }: Pick<Config, 'captchaVerifyUrl' | 'captchaSecret' | 'captchaSiteKey'>,
  log: Pick<Logger, 'warn'>,
  nowMs: () => number = Date.now,
): Captcha {
  const used = new Map<string, number>();

  /**
   * SECURITY: D848: a token counts once. Providers reject a second use too, but not before the first one is complete.
   * The oldest are forgotten first.
   */
  function useUp(token: string): boolean {
    const digest = hash('sha256', token);
    for (const [known, atMs] of used) {
      if (atMs + REMEMBERED_MS > nowMs() && used.size < MAX_REMEMBERED) break;
      used.delete(known);
    }
    if (used.has(digest)) return false;
    used.set(digest, nowMs());
    return true;
  }

  async function isAccepted(url: string, secret: string, token: string, clientAddress: string | undefined): Promise<boolean> {
    const body = new URLSearchParams({
      secret,
      response: token,
      ...(clientAddress !== undefined && { remoteip: clientAddress }),
    });
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(url, { method: 'POST', body, redirect: 'error', signal });
      const answer = (await response.json()) as { readonly success?: unknown };
      return response.ok && answer.success === true;
    } catch (error) {
      log.warn({ err: error }, 'the captcha provider did not respond, so the request was rejected');
      throw new ServiceError('UNAVAILABLE', 'The captcha cannot be checked now. Try again later.', { cause: error });
    }
  }

  return {
    siteKey: captchaSiteKey,
    async require(token, clientAddress) {
      if (captchaVerifyUrl === undefined || captchaSecret === undefined) {
        throw new ServiceError(
          'PRECONDITION_FAILED',
          'This needs a captcha, but the operator has not configured a provider (captchaVerifyUrl and captchaSecret).',
        );
      }
      if (token === undefined || token === '' || token.length > MAX_TOKEN_LENGTH)
        throw invalid('is missing: send X-Captcha-Token');
      if (!useUp(token)) throw invalid('was used before');
      if (!(await isAccepted(captchaVerifyUrl, captchaSecret, token, clientAddress))) throw invalid('is not valid');
    },
  };
}

function invalid(problem: string): ServiceError {
  return new ServiceError('CAPTCHA_INVALID', `The answer of the captcha ${problem}. Solve a new one.`);
}
