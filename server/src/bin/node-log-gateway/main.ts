import { runAlone } from '../run-alone.ts';
import { nodeLogGateway } from './process.ts';

await runAlone(nodeLogGateway);
