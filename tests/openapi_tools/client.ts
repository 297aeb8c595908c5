// Calls a server with the client that @hey-api/openapi-ts generates from openapi.yaml, and prints the results as JSON.
// Arguments: base URL, API key.
import { createClient } from './generated/client';
import { createPet, getPet, listPets, storeOrders, type NewPet } from './generated';

declare const process: { argv: string[] };

/** The status in the body of an error, if it has one; the body of a 422 or a 429 is open. */
function statusIn(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
}

async function main(baseUrl: string, key: string): Promise<void> {
  const client = createClient({ baseUrl, auth: key });
  const stranger = createClient({ baseUrl, auth: 'not-a-key' });
  const rex: NewPet = { name: 'Rex', categoryId: 1, status: 'sold' };

  const created = await createPet({ client, body: rex });
  const id = created.data?.id ?? 0;
  const read = await getPet({ client, path: { petId: id } });
  const page = await listPets({ client, query: { limit: 5, status: 'sold' } });
  const orders = await storeOrders({ client });
  const refused = await listPets({ client, query: { limit: 0 } });
  const unknown = await getPet({ client, path: { petId: 999_999 } });
  const locked = await listPets({ client: stranger });

  console.log(JSON.stringify({
    created: [created.response?.status, created.data?.name, created.data?.categoryId, created.data?.status],
    readTheSame: read.data?.id === id && read.data?.name === 'Rex',
    statusesOfPage: [...new Set(page.data?.map((pet) => pet.status))],
    firstOfPage: page.data?.[0]?.id === id,
    orders: orders.response?.status,
    refused: statusIn(refused.error),
    unknown: statusIn(unknown.error),
    locked: statusIn(locked.error),
  }));
}

void main(process.argv[2], process.argv[3]);
