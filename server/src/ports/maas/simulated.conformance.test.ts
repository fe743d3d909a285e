import { maasConformance } from './conformance.ts';
import { makeMaasWorld } from './testing.ts';

maasConformance('simulated', (apiKey) => makeMaasWorld({ kind: 'simulated', timeoutMs: 1_000 }, apiKey));
