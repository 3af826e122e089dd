import type { Config } from '../config/settings.ts';

/** What the primary process tells a worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly config: Config }
  | { readonly kind: 'stop' }
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string };

/** What a worker tells the primary process. */
export type FromWorker =
  /** It listens to messages from now on: one that came before would be lost. */
  | { readonly kind: 'awake' }
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'failed'; readonly code?: string; readonly message: string; readonly fix?: string }
  | { readonly kind: 'metrics'; readonly id: number };
