/** What docs/scaling.md concludes from the simulation of a deployment that is divided by workspace. */
import { describe, expect, it } from 'vitest';
import { capacity, simulate, usual, type Parameters, type Result } from '../../bench/partitions.ts';

const short = { ...usual, seconds: 3, warmUp: 120 };
const uneven = { partitions: 4, zipf: 1.1, offered: 0.75 };
const result = (parameters: Partial<Parameters>): Result => simulate({ ...short, ...parameters });
const share = ({ committedPerSecond, offeredPerSecond }: Result): number =>
  committedPerSecond / offeredPerSecond;

describe('a deployment divided by workspace, simulated', () => {
  it('has partitions of the capacity that was measured', () => {
    expect(Math.round(capacity)).toBe(4969);
  });

  it('carries eight times as much on eight partitions, where no workspace is too large', () => {
    const eight = result({ partitions: 8, warmUp: 10, placement: 'by hash' });
    expect(eight.offeredPerSecond).toBeCloseTo(8 * 0.6 * capacity);
    expect(share(eight)).toBeGreaterThan(0.98);
    expect(eight.refused).toBe(0);
    expect(eight.p99).toBeLessThan(40);
  });

  it('refuses writes of a full partition where workspaces are only placed by hash', () => {
    const placed = result({ ...uneven, placement: 'by hash' });
    expect(placed.busiest).toBeGreaterThan(0.99);
    expect(placed.idlest).toBeLessThan(0.7);
    expect(placed.refused).toBeGreaterThan(0.01);
  });

  it('refuses none of them once workspaces have been moved', () => {
    const moved = result(uneven);
    expect(moved.moves).toBeGreaterThan(0);
    expect(moved.refused).toBe(0);
    expect(share(moved)).toBeGreaterThan(0.98);
    expect(moved.p99).toBeLessThan(40);
  });

  it('cannot carry a workspace that needs more than one partition', () => {
    const large = result({ partitions: 16, zipf: 1.1, warmUp: 10 });
    expect(large.largestOfPartition).toBeGreaterThan(1);
    expect(large.refused).toBeGreaterThan(0.05);
  });

  it('asks each witness for one cosignature a second and partition', () => {
    expect(result({ partitions: 16, warmUp: 1, seconds: 1 }).witnessRequests).toBe(16);
  });
});
