// The other issuer needs nothing but Node, so its suite runs in every test run as well.
import './external.production.test.ts';
