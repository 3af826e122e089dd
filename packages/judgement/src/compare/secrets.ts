import { type CompareOf, created, deleted } from './operation.ts';

export const importSecrets: CompareOf<'importSecrets'> = function* ({ params }) {
  for (const { name, staticProperties = [] } of params.secrets)
    yield created('secret', { ...(name !== undefined && { name }), staticProperties });
};

export const deleteSecrets: CompareOf<'deleteSecrets'> = (request) => deleted(request, 'secret', request.params.secretIds);
