export { makeTakeSamples } from './intake.ts';
export { makeTelemetryPoints } from './points-store.ts';
export { type TelemetryParts, telemetryRoutes } from './routes.ts';
export { makeTelemetryUpkeep } from './upkeep.ts';
