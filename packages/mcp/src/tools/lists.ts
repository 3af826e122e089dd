import { assetInfo, shippedCoins } from '@countersign/chains';
import { items, type PageRequest } from '@countersign/client';
import { z } from 'zod';
import { accountsOf, chainOfFormat, contactsOf, firstOf, MAX_LISTED, tokensOf } from '../payments/knowledge.ts';
import { untrusted, untrustedLong, untrustedText } from '../untrusted.ts';
import { defineReader } from './tool.ts';

const hasMore = z.boolean().describe('Whether there are more than are listed');
const nothing = z.strictObject({});

export const listWallets = defineReader({
  name: 'list_wallets',
  title: 'List wallets',
  description: 'Lists the wallets of the organization with the accounts that can pay, and the user that this server acts for.',
  input: nothing,
  output: z.object({
    self: z.object({ userId: z.string(), name: untrustedText, organizationId: z.string() }),
    wallets: z.array(
      z.object({
        walletId: z.string(),
        name: untrustedText,
        accounts: z.array(z.object({ address: z.string(), chain: z.string(), name: untrustedText.optional() })),
      }),
    ),
    hasMore,
  }),
  async run(agent) {
    const { userId, userName } = await agent.self();
    const { found, hasMore: more } = await firstOf(accountsOf(agent));
    const wallets = new Map<string, { walletId: string; name: ReturnType<typeof untrusted>; accounts: object[] }>();
    for (const { walletId, walletDetails, address, addressFormat, name } of found) {
      const chain = chainOfFormat(addressFormat)?.id;
      if (chain === undefined) continue;
      const wallet = wallets.get(walletId) ?? { walletId, name: untrusted(walletDetails?.walletName ?? ''), accounts: [] };
      wallet.accounts.push({ address, chain, ...(name !== undefined && { name: untrusted(name) }) });
      wallets.set(walletId, wallet);
    }
    const self = { userId, name: untrusted(userName), organizationId: agent.organizationId };
    return { self, wallets: [...wallets.values()] as never, hasMore: more };
  },
});

export const listContacts = defineReader({
  name: 'list_contacts',
  title: 'List contacts',
  description: 'Lists the address book of the organization. Policies usually allow payments to contacts only.',
  input: nothing,
  output: z.object({
    contacts: z.array(
      z.object({
        contactId: z.string(),
        label: untrustedText,
        address: z.string(),
        networks: z.string(),
        tags: z.array(z.string()),
      }),
    ),
    hasMore,
  }),
  async run(agent) {
    const contacts = await contactsOf(agent);
    const shown = contacts.slice(0, MAX_LISTED).map(({ contactId, label, address, networks, contactTags }) => ({
      contactId,
      label: untrusted(label),
      address,
      networks,
      tags: contactTags,
    }));
    return { contacts: shown, hasMore: contacts.length > MAX_LISTED };
  },
});

export const listAssets = defineReader({
  name: 'list_assets',
  title: 'List assets',
  description: 'Lists coins and tokens by their CAIP-19 names, which payments need. Filter by symbol: the list is long.',
  input: z.strictObject({ symbol: z.string().max(32).optional().describe('For example USDC') }),
  output: z.object({
    assets: z.array(
      z.object({ asset: z.string(), symbol: z.string(), decimals: z.int(), listedBy: z.enum(['service', 'organization']) }),
    ),
    hasMore,
  }),
  async run(agent, { symbol }) {
    const { list, all } = await tokensOf(agent);
    const coins = shippedCoins.flatMap((coin) => coin.ids.map((asset) => ({ ...coin, asset, source: 'DEFAULT' })));
    const wanted = [...coins, ...all].filter(
      (each) => symbol === undefined || each.symbol.toLowerCase() === symbol.toLowerCase(),
    );
    const assets = wanted.slice(0, MAX_LISTED).map(({ asset, symbol: shown, decimals, source }) => ({
      asset,
      symbol: shown,
      decimals: assetInfo(asset, list)?.decimals ?? decimals,
      listedBy: source === 'ORGANIZATION' ? ('organization' as const) : ('service' as const),
    }));
    return { assets, hasMore: wanted.length > MAX_LISTED };
  },
});

export const listLimits = defineReader({
  name: 'list_limits',
  title: 'List spending limits',
  description: 'Lists the spending limits of the organization and what is left of them.',
  input: nothing,
  output: z.object({
    limits: z.array(z.object({ identifier: z.string(), limit: untrustedText, usage: z.array(untrustedText) })),
    hasMore,
  }),
  async run({ client }) {
    const list = (page: PageRequest) => client.listVelocityControls(page);
    const controls = items(list, 'velocityControls', ({ velocityControlId }) => velocityControlId);
    const { found, hasMore: more } = await firstOf(controls, 20);
    const limits = [];
    for (const { velocityControlId } of found) {
      const { velocityControl } = await client.getVelocityControl({ velocityControlId });
      const { identifier, text, usage = [] } = velocityControl;
      limits.push({ identifier, limit: untrustedLong(text), usage: usage.map((each) => untrusted(each.text, 300)) });
    }
    return { limits, hasMore: more };
  },
});
