import type { Client } from '@countersign/client';

/** A wallet account as the service lists it. */
export type Account = Awaited<ReturnType<Client['listWalletAccounts']>>['accounts'][number];
