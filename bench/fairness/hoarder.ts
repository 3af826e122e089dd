import { Stamper } from '../stamper.ts';
import type { Sender } from './requests.ts';

/** As many policies as an organization may have at first, with notes as long as they may be. */
const POLICIES = 99;
const TOGETHER = 33;
const NOTES = 'n'.repeat(16_384);

/** An organization that keeps much. */
export interface Hoarder extends Sender {
  /** An activity whose record is 1.1 MB. */
  readonly activityId: string;
}

/** Gives an organization policies whose list is 1.6 MB. */
export async function fillWithPolicies(url: string, root: Sender): Promise<Hoarder> {
  const { organizationId } = root;
  let activityId = '';
  for (let created = 0; created < POLICIES; created += TOGETHER) {
    const policies = Array.from({ length: TOGETHER }, (_, index) => ({
      policyName: `Policy ${created + index}`,
      effect: 'EFFECT_DENY',
      condition: `wallet.label == '${created + index}'`,
      notes: NOTES,
    }));
    const body = JSON.stringify({
      type: 'ACTIVITY_TYPE_CREATE_POLICIES',
      timestampMs: String(Date.now() + created),
      organizationId,
      parameters: { policies },
    });
    const response = await fetch(`${url}/public/v1/submit/create_policies`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Stamp': new Stamper(root).stamp(body) },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the policies could not be created: ${text}`);
    activityId = (JSON.parse(text) as { activity: { id: string } }).activity.id;
  }
  return { ...root, activityId };
}
