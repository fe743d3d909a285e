# Emitted from the contract by `npm run gen`; changes are lost.
