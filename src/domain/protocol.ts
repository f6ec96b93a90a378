/** The protocol that every answer names (spec §9): capabilities, its own version, and nothing of this program's. */
export const protocolName = 'OIP';
export const protocolVersion = '1.2.0';
