/** The version of this build, as package.json has it: a ledger bears the one that last wrote to it (contract §6). */
export const buildVersion = '0.2.0';

/** Date of this release; a clock that differs from it by years is wrong (contract §6). Update it with each release. */
export const releasedAt = '2026-11-01T00:00:00.000Z';
