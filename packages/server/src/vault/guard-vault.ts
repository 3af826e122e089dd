import { SecretMissing, SignatureError, VaultError } from './errors.ts';
import type { OrganizationId, Vault } from './vault.ts';

/** How the service answers a fault of the vault. */
export interface VaultErrorHandlers {
  alarm(organizationId: string, what: string): void;
  /** Raises the alarm that stored state was changed outside the service. Returns the error to refuse the request with. */
  tampered(organizationId: string, what: string, cause: VaultError): Error;
}

type OrganizationMethod = (organizationId: OrganizationId, ...rest: never[]) => Promise<unknown>;

/** A group fits only if every member is a method that may be waited for, and whose first argument is declared as an `OrganizationId`. */
type OrganizationGroup<G> = {
  readonly [K in keyof G]: G[K] extends OrganizationMethod
    ? 'idOf' extends keyof Parameters<G[K]>[0]
      ? Extract<ReturnType<G[K]>, Promise<unknown>> extends never
        ? never
        : G[K]
      : never
    : never;
};

/** A copy of the group. When a method fails, it rejects with what `answer` returns for the organization and the error. */
export function guardGroup<G extends OrganizationGroup<G>>(
  group: G,
  answer: (organizationId: string, error: unknown) => unknown,
): G {
  const guarded = { ...group };
  for (const name in group) guarded[name] = guardMethod(group[name], answer);
  return guarded;
}

function guardMethod<M extends OrganizationMethod>(method: M, answer: (organizationId: string, error: unknown) => unknown): M {
  const guarded = async (organizationId: OrganizationId, ...rest: never[]) => {
    try {
      return await method(organizationId, ...rest);
    } catch (error) {
      throw answer(organizationId, error);
    }
  };
  return guarded as M;
}

/**
 * Turns the vault's faults into alarms. A stored secret that does not open was changed outside the service: the request is refused as
 * such. A signature that fails its own check raises an alarm too (D64). Whether a missing secret was deleted by another process is for the
 * pipeline to decide, which knows the version of the organization that it read.
 */
export function guardVault(vault: Vault, { alarm, tampered }: VaultErrorHandlers): Vault {
  let closed = false;

  function answer(organizationId: string, error: unknown): unknown {
    if (error instanceof SignatureError) alarm(organizationId, error.message);
    if (error instanceof SecretMissing) return error;
    // A late request to a closed vault proves nothing about the stored state.
    if (error instanceof VaultError && !closed) return tampered(organizationId, error.message, error);
    return error;
  }

  return Object.freeze<Vault>({
    keys: guardGroup(vault.keys, answer),
    transfers: guardGroup(vault.transfers, answer),
    outbox: guardGroup(vault.outbox, answer),
    service: vault.service,
    integrity: vault.integrity,
    atRest: vault.atRest,
    rootKey: () => vault.rootKey(),
    facts: vault.facts,
    renewDataKey: (organizationId) => vault.renewDataKey(organizationId),
    forget: (organizationId, id) => vault.forget(organizationId, id),
    forgetOrganization: (organizationId) => vault.forgetOrganization(organizationId),
    close() {
      closed = true;
      vault.close();
    },
  });
}
