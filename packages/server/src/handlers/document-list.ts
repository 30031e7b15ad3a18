// The documents of a container, page by page (M2).

import { readDocumentPage } from '../document-pages.ts';
import type { HandlerContext } from '../handler.ts';
import type { CosmosRequest } from '../request.ts';
import { findContainer } from '../resources.ts';
import type { CosmosResponse } from '../response.ts';
import { documentPageResponse } from '../response.ts';

export async function listDocuments(request: CosmosRequest, context: HandlerContext): Promise<CosmosResponse> {
  const place = findContainer(context.database, request.path);
  return documentPageResponse(request, place, await readDocumentPage(request, place, context.consistency));
}
