import type { Opening } from '@countersign/tlog';
import { must } from './audit-error.ts';
import type { LocalChange } from './format/lines.ts';

/** The head of an organization's state: its version, and the SHA-256 of its MAC in hex. */
export interface Head {
  readonly version: number;
  readonly digest: string;
}

/**
 * Follows the head of the organization from leaf to leaf. Leaves of version 1 do not name it.
 * INVARIANT: every version of the head is in one leaf, so none can be skipped or used twice.
 */
export class HeadHistory {
  #last: Head | undefined;
  #versionBefore: number | undefined;
  #isSecondVersion = false;
  /** The head version that wrote each policy. 0 for leaves of version 1. */
  readonly #policies = new Map<string, number>();

  /** The version before the last leaf. Undefined if no leaf names it. */
  get versionBefore(): number | undefined {
    return this.#versionBefore;
  }

  /** The head after the last leaf. Undefined if no leaf names it. */
  get last(): Head | undefined {
    return this.#last;
  }

  /** The leaf of another organization that created this one. */
  begin(organizationId: string, opening: Opening, changes: readonly LocalChange[]): void {
    if (opening.version === 2) {
      const created = opening.created?.find((each) => each.organizationId === organizationId);
      must(created !== undefined, 'its leaf does not name the head of this organization');
      this.#last = { version: created.headVersion, digest: created.headDigest };
    }
    this.wrote(changes);
  }

  /** A leaf of the organization. */
  follow(opening: Opening): void {
    if (opening.version !== 2) {
      must(!this.#isSecondVersion, 'a leaf of the earlier format follows one of the current format');
      return;
    }
    const before = this.#last;
    const { headVersion: version, headDigest: digest } = opening;
    must(version > 0, 'it names no head of the organization');
    if (before !== undefined && version === before.version)
      must(digest === before.digest, 'it names another head of the same version');
    else if (before !== undefined)
      must(version === before.version + 1, `the head of the organization goes from version ${before.version} to ${version}`);
    this.#isSecondVersion = true;
    this.#versionBefore = before?.version;
    this.#last = { version, digest };
  }

  /** Changes of the leaf that was followed last. */
  wrote(changes: readonly LocalChange[]): void {
    for (const change of changes)
      if ('put' in change && change.put === 'policy') this.#policies.set(change.id, this.#last?.version ?? 0);
  }

  /** The head version that wrote a policy. Undefined if the policy is not known. */
  revisionOf(policyId: string): number | undefined {
    return this.#policies.get(policyId);
  }
}
