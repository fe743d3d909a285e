import { runAlone } from '../run-alone.ts';
import { terminalGateway } from './process.ts';

await runAlone(terminalGateway);
