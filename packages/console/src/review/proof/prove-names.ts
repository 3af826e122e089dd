import { canonicalAddress, policyAddress } from '@countersign/chains';
import type { EffectShape } from '@countersign/contract';
import type { Knowledge, NameClaim, Signer } from '../types.ts';
import { proveAll } from './prove-all.ts';
import { provenInterfaces } from './prove-interfaces.ts';
import { createdIn, type NamedRecord, type Prover } from './prove-record.ts';

type Prove = Pick<Prover, 'record'>;

/** What a request may be described with: the signer and the names that the log proves. */
export interface ProvenNames {
  readonly signer: Signer;
  readonly knowledge: Knowledge;
  /** All names that the service states for what is in the effects. */
  readonly names: readonly NameClaim[];
}

const canonical = (address: string) => canonicalAddress(address) ?? address;

/**
 * Proves the names of the addresses and assets of some effects, the interfaces of their contracts, and the name of the signing wallet.
 * SECURITY: D800, D801: an altered list of contacts, wallets or tokens names a stranger, or moves the point of an amount. A name that the log
 * does not prove is left out, and reported in `names`.
 */
export async function provenNames(
  effects: readonly EffectShape[],
  signer: Signer,
  knowledge: Knowledge,
  prover: Prove,
): Promise<ProvenNames> {
  const addresses = new Set(
    effects.flatMap(({ to, from, owner }) => [to, from, owner].flatMap((each) => (each === undefined ? [] : [canonical(each)]))),
  );
  const assets = new Set(effects.map(({ asset }) => asset?.id));
  const contacts = knowledge.contacts.filter(({ address }) => addresses.has(canonical(address)));
  const tokens = knowledge.tokens.filter(({ source, asset }) => source === 'ORGANIZATION' && assets.has(asset));
  const [contactProofs, tokenProofs, source, called] = await Promise.all([
    Promise.all(contacts.map((contact) => proveAll([contactRecord(contact)], prover))),
    Promise.all(tokens.map((token) => proveAll([tokenRecord(token)], prover))),
    signer.source === undefined ? undefined : proveAll(signer.records ?? [], prover),
    provenInterfaces(effects, knowledge.interfaces, prover),
  ]);
  const { source: stated, ...nameless } = signer;
  return {
    signer: source === undefined ? nameless : signer,
    knowledge: {
      interfaces: called.interfaces,
      contacts: contacts.filter((_, at) => contactProofs[at] !== undefined),
      tokens: knowledge.tokens.filter((token) => token.source !== 'ORGANIZATION' || tokenProofs[tokens.indexOf(token)]),
    },
    names: [
      ...contacts.map(({ label, address }, at) => ({
        ...({ kind: 'contact', name: label, address } as const),
        proof: contactProofs[at],
      })),
      ...tokens.map(({ symbol, asset }, at) => ({
        ...({ kind: 'token', name: symbol, address: asset } as const),
        proof: tokenProofs[at],
      })),
      ...called.names,
      ...(stated === undefined
        ? []
        : [{ ...stated, address: String(signer.records?.at(-1)?.body.address ?? ''), proof: source }]),
    ],
  };
}

const contactRecord = ({ contactId, label, address, updatedAt }: Knowledge['contacts'][number]): NamedRecord => ({
  ...{ kind: 'contact', id: contactId, updatedAt },
  body: { label, address: policyAddress(address) },
});

/** Tokens do not change. */
const tokenRecord = ({ tokenId, asset, symbol, decimals }: Knowledge['tokens'][number]): NamedRecord => ({
  ...{ kind: 'token', id: tokenId, updatedAt: createdIn(tokenId) },
  body: { asset, symbol, decimals },
});
