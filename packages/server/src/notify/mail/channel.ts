import type { MessageSender, NoticedActivities, PushMessage } from './message.ts';
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

/** A message for one browser of a user. */
export interface OutgoingPush {
  readonly organizationId: string;
  readonly subscriptionId: string;
  readonly about?: PushMessage['about'];
  readonly approvals: NoticedActivities;
}

/** Sends push messages to browsers, like `Channel`. `gone` means that the browser is no longer subscribed. */
export interface PushChannel {
  send(item: OutgoingPush): Promise<'sent' | 'gone'>;
  close(): void;
}

/** Sends messages. `send` resolves once the receiving server has accepted the message, and throws DeliveryError otherwise. */
export interface Channel<T> {
  send(item: T): Promise<void>;
  close(): void;
}
