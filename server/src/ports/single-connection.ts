import { Client, type ClientConfig } from 'pg';

/**
 * One connection outside of any pool, for work that is done in order. When the server goes away, the statement under way
 * is refused and so is every later one. The client also reports the loss as an event, and an event that nobody listens to
 * would end the process.
 */
export async function connectSingle(config: ClientConfig): Promise<Client> {
  const client = new Client(config);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
