/** Why an endpoint gave no usable response. Metrics count them. */
export type EndpointFailure =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'HTTP_STATUS'
  | 'RATE_LIMITED'
  | 'TOO_LARGE'
  | 'INVALID_RESPONSE'
  | 'INVALID_RESULT'
  | 'WRONG_CHAIN';

/**
 * Failures that the parameters of a call can cause.
 * SECURITY: D766: they say nothing about the endpoint. Otherwise a tenant whose account has too long a list could make the service pause it.
 */
export const failuresOfCalls: ReadonlySet<EndpointFailure> = new Set(['TOO_LARGE', 'INVALID_RESULT']);

/** An endpoint gave no usable response. The message completes a sentence about the endpoint, and has no URL. Another one may be tried. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
  readonly failure: EndpointFailure;
  /** How long the endpoint asked not to be called. */
  readonly retryAfterMs: number | undefined;

  constructor(failure: EndpointFailure, message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options);
    this.failure = failure;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The node responded with an error of its own, for example to a transaction that it does not accept. Other nodes are not asked. */
export class NodeRejection extends Error {
  override readonly name = 'NodeRejection';
  readonly code: number;
  readonly data: unknown;

  readonly #text: string;

  /** SECURITY: an endpoint chooses the text, so it is cut, and has no control characters. */
  constructor(code: number, text: string, data: unknown) {
    super(
      text
        .slice(0, 300)
        .replace(/[\p{C}\p{Z}]+/gu, ' ')
        .trim() || 'no reason given',
    );
    this.#text = text;
    this.code = code;
    this.data = data;
  }

  /** SECURITY: D761: the same without the secrets of its endpoint, which some gateways repeat. Texts are cut afterwards, so no part of one stays. */
  without(secrets: readonly string[]): NodeRejection {
    const isIn = (text: string) => secrets.some((secret) => text.includes(secret));
    const hasData = this.data !== undefined && isIn(JSON.stringify(this.data));
    if (!hasData && !isIn(this.#text)) return this;
    const text = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), this.#text);
    return new NodeRejection(this.code, text, hasData ? undefined : this.data);
  }
}
