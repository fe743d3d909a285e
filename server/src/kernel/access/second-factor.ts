/** What RFC 8176 calls the ways to prove more than knowledge of a password. */
const secondFactors = ['mfa', 'otp', 'hwk', 'swk', 'sc', 'sms', 'tel', 'fpt', 'face', 'iris', 'retina', 'vbm'];

/** Whether a sign-in that was proved by these methods had a second factor. */
export const hadSecondFactor = (methods: readonly string[] | undefined): boolean =>
  methods?.some((method) => secondFactors.includes(method)) ?? false;
