import { Client } from 'pg';

export function open(url: string, lost: () => void) {
  const client = new Client({ connectionString: url });
  client.on('error', lost);
  return client;
}
