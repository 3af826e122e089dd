import { type ContractInterface, canonicalAddress, type ParseContext, type SignerKey } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import { secp256k1Engine } from '../../auth/secp256k1-engine.ts';
import { contactLabels, tokenList } from '../../organizations/address-book.ts';
import type { SmartContractInterfaceRecord } from '../../organizations/records.ts';
import type { SigningKey } from '../../organizations/resources.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PlanContext } from '../../pipeline/executor.ts';
import { policyAddress } from '../../policies/spelling.ts';
import type { PolicySubject } from '../../policies/subject.ts';
import { recoverPublicKey } from './recover-public-key.ts';
import { sha256 } from './sha256.ts';

/** The one key that `signWith` leads to. Throws SIGN_WITH_NOT_FOUND for none, and PRECONDITION_FAILED for one that was disabled. */
export async function keyToSign({ organization, resources }: PlanContext, signWith: string): Promise<SigningKey> {
  const key = await resources.signingKey(organization, signWith);
  if (key.kind === 'privateKey' && key.body.disabled === true) {
    throw new ServiceError(
      'PRECONDITION_FAILED',
      `Private key ${key.id} was disabled and signs nothing. Sign with another key.`,
      {
        violations: [{ field: 'signWith', description: 'This key was disabled.' }],
      },
    );
  }
  return key;
}

/** A key that is to sign, as policies see it. */
export async function signingSubject({ organization, resources }: PlanContext, key: SigningKey): Promise<PolicySubject> {
  // SECURITY: a key answers to several names. Policies see one: the address of an account, the id of a private key.
  const parameters = () => ({ signWith: key.kind === 'walletAccount' ? policyAddress(key.body) : key.id });
  return key.kind === 'walletAccount'
    ? { key, wallet: await resources.walletOf(organization, key), parameters }
    : { key, parameters };
}

/** What parsers may know of the key that `signWith` led to. */
export function signerOf(key: SigningKey, signWith: string): SignerKey {
  const { curve } = key.body;
  const addressFormat = formatOf(key, signWith);
  return { curve, publicKey: Buffer.from(key.body.publicKey, 'hex'), ...(addressFormat !== undefined && { addressFormat }) };
}

/** The format of the address that the caller named the key by; an account has one in any case. */
function formatOf(key: SigningKey, signWith: string): string | undefined {
  if (key.kind === 'walletAccount') return key.body.addressFormat;
  const wanted = canonicalAddress(signWith);
  return key.body.addresses.find(({ address }) => canonicalAddress(address) === wanted)?.format;
}

const interfaceKinds: Readonly<Record<SmartContractInterfaceRecord['type'], ContractInterface['kind']>> = {
  SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM: 'ethereum',
  SMART_CONTRACT_INTERFACE_TYPE_SOLANA: 'solana',
  SMART_CONTRACT_INTERFACE_TYPE_ERC7730: 'erc7730',
};

/** Interfaces as parsers take them. One object per record, so that parsers can keep what they made of it. */
const interfaces = new WeakMap<SmartContractInterfaceRecord, ContractInterface>();

function contractInterfaces(organization: Snapshot): readonly ContractInterface[] {
  return [...organization.records.smartContractInterface.values()].map((record) => {
    const known = interfaces.get(record);
    if (known !== undefined) return known;
    const made: ContractInterface = {
      kind: interfaceKinds[record.type],
      address: record.smartContractAddress,
      json: record.smartContractInterface,
    };
    interfaces.set(record, made);
    return made;
  });
}

/** What parsers may know of the organization: its interfaces, its tokens and its contacts. */
export function parseContext(organization: Snapshot, signer: SignerKey): ParseContext {
  return {
    signer,
    interfaces: contractInterfaces(organization),
    tokens: tokenList(organization),
    names: { contact: contactLabels(organization) },
    recoverPublicKey,
    sha256,
    tweakPublicKey: secp256k1Engine.tweakPublicKey,
  };
}
