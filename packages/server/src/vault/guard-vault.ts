import { SignatureFault, VaultFault } from './faults.ts';
import type { Vault } from './vault.ts';

/** How the service answers a fault of the vault. */
export interface FaultAnswers {
  alarm(organizationId: string, what: string): void;
  /** Sounds the alarm for stored state that somebody changed. Gives the error to refuse the request with. */
  tampered(organizationId: string, what: string, cause: VaultFault): Error;
}

type OrganizationMethod = (organizationId: string, ...rest: never[]) => Promise<unknown>;

/** A group fits this type only if each of its members is an asynchronous method that takes the id of an organization first. */
type OrganizationGroup<G> = {
  readonly [K in keyof G]: G[K] extends OrganizationMethod
    ? Parameters<G[K]> extends [unknown, ...unknown[]]
      ? G[K]
      : never
    : never;
};

/**
 * A copy of the group whose methods hand their faults to `answer`, together with the organization that the call was about.
 * The copy adds one promise to a call.
 */
export function guardGroup<G extends OrganizationGroup<G>>(
  group: G,
  answer: (organizationId: string, error: unknown) => unknown,
): G {
  const guarded = { ...group };
  for (const name in group) guarded[name] = guardMethod(group[name], answer);
  return guarded;
}

function guardMethod<M extends OrganizationMethod>(method: M, answer: (organizationId: string, error: unknown) => unknown): M {
  const guarded = async (organizationId: string, ...rest: never[]) => {
    try {
      return await method(organizationId, ...rest);
    } catch (error) {
      throw answer(organizationId, error);
    }
  };
  return guarded as M;
}

/**
 * A vault that takes a stored secret which does not open for what it is: state that somebody changed outside the service. The request
 * is refused by that name, with an alarm. A signature that fails its own check sounds the alarm as well (D64).
 */
export function guardVault(vault: Vault, { alarm, tampered }: FaultAnswers): Vault {
  let closed = false;

  function answer(organizationId: string, error: unknown): unknown {
    if (error instanceof SignatureFault) alarm(organizationId, error.message);
    // A late request to a closed vault proves nothing about the stored state.
    if (error instanceof VaultFault && !closed) return tampered(organizationId, error.message, error);
    return error;
  }

  return Object.freeze<Vault>({
    keys: guardGroup(vault.keys, answer),
    transfers: guardGroup(vault.transfers, answer),
    outbox: guardGroup(vault.outbox, answer),
    service: vault.service,
    integrity: vault.integrity,
    facts: vault.facts,
    forget: (organizationId, id) => vault.forget(organizationId, id),
    close() {
      closed = true;
      vault.close();
    },
  });
}
