/** The version of this build, as package.json has it: a ledger bears the one that last wrote to it (contract §6). */
export const buildVersion = '0.2.0';
