/** The api rings here when a version is to be verified. */
export const verificationChannel = 'gpuaas_app_verification';
