/** The formats of OpenSSH's keys, as far as we write and read them. */
export * from './keys.ts';
export * from './wire.ts';
