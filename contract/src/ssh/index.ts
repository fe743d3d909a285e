/** The formats of OpenSSH's keys, as far as we write and read them. */
export * from './certificates.ts';
export * from './keys.ts';
export * from './wire.ts';
