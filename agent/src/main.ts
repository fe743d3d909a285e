import { runNodeAgent } from './cli/node-agent.ts';
import { surroundingsOf } from './cli/surroundings.ts';

process.exit(await runNodeAgent(surroundingsOf(process)));
