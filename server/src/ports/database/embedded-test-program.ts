/**
 * A program for the launcher's tests: it opens the data directory it is given, writes one row, says where the server
 * is and stays until it is killed. What a killed process leaves behind can only be seen from another process.
 */
import { connectSingle } from '../single-connection.ts';
import { openEmbeddedPostgres } from './embedded.ts';

const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error('usage: embedded-test-program <data directory>');

const server = await openEmbeddedPostgres({ dataDir, ephemeral: true });
const client = await connectSingle({ connectionString: server.url('postgres', server.superuserPassword, 'postgres') });
await client.query('create table if not exists note (text text)');
await client.query('insert into note values ($1)', ['kept']);
await client.end();
process.stdout.write(`${JSON.stringify({ serverPid: server.serverPid() })}\n`);
process.stdin.resume();
