export { findRunbook } from './find.ts';
export { runbookRoutes } from './routes.ts';
