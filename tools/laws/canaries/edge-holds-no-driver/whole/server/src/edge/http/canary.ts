import { fastify } from 'fastify';

export const used = fastify;
