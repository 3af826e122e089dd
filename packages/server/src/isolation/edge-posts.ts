import { createEgressAllowlist } from '../network/egress-allowlist.ts';
import { compileBlocks, parseCidr } from '../network/ip-blocks.ts';
import { DeliveryError } from '../notify/delivery/delivery-error.ts';
import { createPoster, PUSH_TIMEOUT_MS } from '../notify/webhooks/post-event.ts';
import type { EdgeSettings } from './edge-settings.ts';
import { type Posted, postText } from './posts.ts';

/** Posts webhook events and push messages that the core has signed or encrypted. */
export class EdgePosts {
  readonly #posters;
  readonly #answer: (id: number, text: string) => void;

  constructor({ webhookNetworks, pushNetworks }: EdgeSettings, answer: (id: number, text: string) => void) {
    this.#answer = answer;
    const egress = (networks: readonly string[], setting?: string) =>
      createEgressAllowlist(compileBlocks(networks.map(parseCidr)), setting);
    this.#posters = {
      webhooks: createPoster(egress(webhookNetworks)),
      push: createPoster(egress(pushNetworks, 'pushNetworks'), PUSH_TIMEOUT_MS),
    };
  }

  begin(id: number, text: string, body: Uint8Array): void {
    const { egress, url, headers } = postText.parse(JSON.parse(text));
    this.#posters[egress].post(new URL(url), headers, body).then(
      () => this.#answer(id, JSON.stringify({} satisfies Posted)),
      (error: unknown) => this.#answer(id, JSON.stringify({ failure: failureOf(error) } satisfies Posted)),
    );
  }
}

function failureOf(error: unknown): NonNullable<Posted['failure']> {
  const { message, permanent, reason, answer } =
    error instanceof DeliveryError ? error : new DeliveryError(String(error), false, 'the service could not send it');
  return { message: message.slice(0, 300), permanent, reason: reason.slice(0, 300), ...(answer && { answer }) };
}
