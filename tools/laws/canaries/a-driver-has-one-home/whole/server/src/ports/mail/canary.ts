import { createTransport } from 'nodemailer';

export const used = createTransport;
