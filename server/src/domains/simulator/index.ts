export type { FleetOrder, Picture, SimulatedFleet } from './fleet.ts';
export { simulatorRoutes } from './routes.ts';
