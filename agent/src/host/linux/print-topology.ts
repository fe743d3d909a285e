import { makeCommands } from './commands.ts';
import { discoverTopology } from './topology.ts';

/** What this machine is made of, as JSON. Needs Node and nothing else; looks, and changes nothing. */
process.stdout.write(`${JSON.stringify(await discoverTopology('/', makeCommands()), null, 2)}\n`);
