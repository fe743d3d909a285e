export { countSealed, secretRoutes } from './routes.ts';
