import type { MessageSender } from './message.ts';
import type { RenderedMail } from './rendered-mail.ts';

/** A mail, ready to be sent. */
export interface OutgoingMail extends RenderedMail {
  /** The same at every attempt. */
  readonly id: string;
  readonly to: string;
  readonly sender: MessageSender;
}

/** A text message, ready to be sent. */
export interface OutgoingSms {
  /** The same at every attempt. */
  readonly id: string;
  readonly to: string;
  readonly text: string;
}

/** A way out. `send` resolves once somebody else has taken responsibility, and throws DeliveryFault otherwise. */
export interface Channel<T> {
  send(item: T): Promise<void>;
  close(): void;
}
