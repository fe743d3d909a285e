import { runAlone } from '../run-alone.ts';
import { appRuntimeWorker } from './process.ts';

await runAlone(appRuntimeWorker);
