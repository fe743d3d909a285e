// reported as no-bare-connection: the loss of this connection would end the process
import { Client } from 'pg';

export const open = (url: string) => new Client({ connectionString: url });
