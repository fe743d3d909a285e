// reported as lint/style/noProcessEnv: process.env
export const port = process.env['PORT'];
