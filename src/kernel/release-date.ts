/** When this version was released: a clock that is years away from it is wrong (contract §6). Raised with each release. */
export const releasedAt = '2026-11-01T00:00:00.000Z';
