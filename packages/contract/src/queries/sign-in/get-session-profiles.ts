import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { listPagination, organizationId } from '../../shapes/primitives.ts';
import { sessionProfile } from '../../shapes/sessions.ts';

export const getSessionProfiles = defineQuery({
  name: 'getSessionProfiles',
  path: 'get_session_profiles',
  subject: 'sign-in',
  summary: 'List the session profiles of the organization, and the built-in ones',
  reads: { resources: ['SESSION_PROFILE'] },
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({ sessionProfiles: z.array(sessionProfile) }),
});
