import { Stamper } from '../stamper.ts';
import type { Sender } from './requests.ts';

/** As many policies as an organization may have at first, with notes as long as they may be. */
const POLICIES = 99;
const TOGETHER = 33;
const NOTES = 'n'.repeat(16_384);

/** Gives an organization policies whose list is 1.6 MB. */
export async function fillWithPolicies(url: string, root: Sender): Promise<void> {
  const { organizationId } = root;
  for (let made = 0; made < POLICIES; made += TOGETHER) {
    const policies = Array.from({ length: TOGETHER }, (_, index) => ({
      policyName: `Policy ${made + index}`,
      effect: 'EFFECT_DENY',
      condition: `wallet.label == '${made + index}'`,
      notes: NOTES,
    }));
    const body = JSON.stringify({
      type: 'ACTIVITY_TYPE_CREATE_POLICIES',
      timestampMs: String(Date.now() + made),
      organizationId,
      parameters: { policies },
    });
    const response = await fetch(`${url}/public/v1/submit/create_policies`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Stamp': new Stamper(root).stamp(body) },
      body,
    });
    if (!response.ok) throw new Error(`the policies could not be created: ${await response.text()}`);
  }
}
